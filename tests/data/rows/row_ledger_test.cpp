#include "common/data/rows/row_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dflash {
namespace {

RowVerdict dropped(DropReason reason, const std::string& detail) {
  RowVerdict verdict;
  verdict.dropped = reason;
  verdict.detail = detail;
  return verdict;
}

RowVerdict noted() {
  RowVerdict verdict;
  verdict.notes = {RowNote::orphan_close_think};
  return verdict;
}

RowLedger filled() {
  RowLedger ledger;
  for (int64_t line = 1; line <= 5; ++line) ledger.count(dropped(DropReason::bad_json, "cut"), "a.jsonl", line);
  ledger.count(noted(), "a.jsonl", 6);
  for (int64_t line = 7; line <= 10; ++line) ledger.count({}, "a.jsonl", line);
  return ledger;
}

TEST(RowLedger, CountsByReasonAndKeepsTheFirstExamples) {
  const RowLedger ledger = filled();
  EXPECT_EQ(ledger.rows(), 10);
  EXPECT_EQ(ledger.kept(), 5);
  EXPECT_EQ(ledger.dropped(), 5);
  EXPECT_EQ(ledger.dropped(DropReason::bad_json), 5);
  EXPECT_EQ(ledger.noted(RowNote::orphan_close_think), 1);
  EXPECT_EQ(ledger.json(), Json::parse(R"({"rows":10,"kept":5,"dropped":{"bad_json":{"count":5,"examples":[
      {"file":"a.jsonl","line":1,"detail":"cut"},{"file":"a.jsonl","line":2,"detail":"cut"},
      {"file":"a.jsonl","line":3,"detail":"cut"}]}},"notes":{"orphan_close_think":1}})"));
}

TEST(RowLedger, TellsAPerson) {
  EXPECT_EQ(filled().text(),
            "10 rows read, 5 kept, 5 left out\n"
            "  bad_json                     5   50.0 %  the line is not JSON\n"
            "      a.jsonl:1: cut\n"
            "      a.jsonl:2: cut\n"
            "      a.jsonl:3: cut\n"
            "  noted: orphan_close_think in 1 rows\n");
  EXPECT_EQ(RowLedger().text(), "0 rows read, 0 kept, 0 left out\n");
}

TEST(RowLedger, ForeignTextStaysOnItsLine) {
  RowLedger ledger;
  ledger.count(dropped(DropReason::unknown_role, "said by \x1b[31m\nx"), "a\nb", 1);
  EXPECT_NE(ledger.text().find("      a?b:1: said by ?[31m?x\n"), std::string::npos) << ledger.text();
}

TEST(RowLedger, LaterStagesTakeRowsBack) {
  RowLedger ledger = filled();
  ledger.take_back(DropReason::template_error, "roles must alternate", "a.jsonl", 8);
  EXPECT_EQ(ledger.rows(), 10);
  EXPECT_EQ(ledger.kept(), 4);
  EXPECT_EQ(ledger.dropped(DropReason::template_error), 1);
}

TEST(RowLedger, AddsUpInOrder) {
  RowLedger sum;
  sum.count(dropped(DropReason::bad_json, "first"), "0.jsonl", 9);
  sum.add(filled());
  EXPECT_EQ(sum.rows(), 11);
  EXPECT_EQ(sum.dropped(DropReason::bad_json), 6);
  EXPECT_EQ(sum.noted(RowNote::orphan_close_think), 1);
  const Json examples = sum.json()["dropped"]["bad_json"]["examples"];
  ASSERT_EQ(examples.size(), 3U);
  EXPECT_EQ(examples[0]["file"], "0.jsonl");
  EXPECT_EQ(examples[2]["line"], 2);
}

TEST(RowLedger, EveryReasonHasItsOwnName) {
  std::vector<std::string> names;
  for (int reason = 0; reason < kDropReasonCount; ++reason) {
    names.emplace_back(drop_reason_name(static_cast<DropReason>(reason)));
    EXPECT_GT(std::string(drop_reason_meaning(static_cast<DropReason>(reason))).size(), 10U);
  }
  EXPECT_STREQ(drop_reason_name(DropReason::bad_tokens), "bad_tokens");
  EXPECT_STREQ(drop_reason_name(DropReason::mask_token_in_answer), "mask_token_in_answer");
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace dflash
