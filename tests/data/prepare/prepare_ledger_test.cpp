// The ledger: what it counts, its way through JSON, its words; and the line of progress.
#include "common/data/prepare/prepare_ledger.h"

#include <gtest/gtest.h>

#include "common/data/prepare/progress_text.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

PreparedRow kept_row(int64_t tokens, int64_t supervised) {
  PreparedRow row;
  row.line = 1;
  row.input_ids.assign(static_cast<size_t>(tokens), 5);
  row.loss_mask.assign(static_cast<size_t>(tokens), 0);
  row.supervised = supervised;
  return row;
}

PreparedRow dropped_row(DropReason reason, int64_t supervised) {
  PreparedRow row;
  row.line = 3;
  row.dropped = reason;
  row.detail = "why";
  row.supervised = supervised;
  return row;
}

PrepareLedger filled() {
  PrepareLedger ledger;
  PreparedRow cut = kept_row(100, 64);
  cut.cut = true;
  cut.notes = {RowNote::cut_answers};
  cut.turns = {.turns = 3,
               .rewritten = 2,
               .unplaced = 1,
               .marked_headers = 4,
               .marked_spaces = 5,
               .thoughts = 6,
               .special_tokens = 7};
  ledger.count(cut, "a.jsonl");
  PreparedRow text = kept_row(50, 50);
  text.kind = ContentKind::text;
  ledger.count(text, "a.jsonl");
  ledger.count(dropped_row(DropReason::too_few_supervised, 0), "b.jsonl");
  ledger.count(dropped_row(DropReason::too_few_supervised, 1), "b.jsonl");
  ledger.count(dropped_row(DropReason::bad_json, 0), "b.jsonl");
  return ledger;
}

TEST(PrepareLedger, Counts) {
  const PrepareLedger ledger = filled();
  EXPECT_EQ(ledger.rows().rows(), 5);
  EXPECT_EQ(ledger.kept(), 2);
  EXPECT_EQ(ledger.cut(), 1);
  EXPECT_EQ(ledger.without_supervised(), 1) << "what was never tokenised is not counted";
  EXPECT_EQ(ledger.text_rows(), 1);
  EXPECT_EQ(ledger.tokens(), 150);
  EXPECT_EQ(ledger.supervised_tokens(), 114);
  EXPECT_EQ(ledger.longest_row(), 100);
  EXPECT_EQ(ledger.supervised_per_row().at(6), 1) << "32 to 63";
  EXPECT_EQ(ledger.supervised_per_row().at(7), 1) << "64 to 127";
  EXPECT_EQ(ledger.rows().noted(RowNote::cut_answers), 1);
}

TEST(PrepareLedger, GoesThroughJson) {
  const Json json = filled().json();
  EXPECT_EQ(json["supervised_per_row"],
            Json::parse(R"([{"from":32,"below":64,"rows":1},{"from":64,"below":128,"rows":1}])"));
  const PrepareLedger again = PrepareLedger::from_json(json);
  EXPECT_EQ(again.json().dump(), json.dump());
  EXPECT_EQ(again.turns(), filled().turns());
  EXPECT_EQ(again.text(), filled().text());
  EXPECT_EQ(PrepareLedger::from_json(PrepareLedger().json()).json(), PrepareLedger().json());
  for (const char* key : {"kept", "dropped", "cut", "turns", "supervised_per_row"}) {
    Json broken = json;
    broken.erase(key);
    expect_error(ErrorKind::checkpoint, key, [&] { (void)PrepareLedger::from_json(broken); });
  }
  Json broken = json;
  broken["rows"] = 99;
  expect_error(ErrorKind::checkpoint, "do not add up", [&] { (void)PrepareLedger::from_json(broken); });
}

TEST(PrepareLedger, TellsWhatAPersonShouldKnow) {
  const std::string text = filled().text(2000);
  for (const char* words :
       {"5 rows read, 2 kept, 3 left out", "b.jsonl:3: why", "150 tokens, 114 of them supervised (76.0 %)",
        "the longest row 100; 2000 tokens per second", "32 to 63          1  ####", "1 rows came as text",
        "6 thoughts are not", "7 answers hold the text of a special token", "2 turns are written in another way",
        "1 turns were not found", "4 generation blocks of the template mark the header",
        "5 generation blocks of the template mark white space"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_EQ(PrepareLedger().text().find("to know"), std::string::npos);
}

TEST(PowerHistogram, PlacesArePowersOfTwo) {
  PowerHistogram histogram;
  for (const int64_t value : {0, 1, 2, 3, 4, 1023, 1024}) histogram.count(value);
  histogram.count(-5);
  histogram.count(int64_t{1} << 50);
  EXPECT_EQ(histogram.at(0), 2);
  EXPECT_EQ(histogram.at(1), 1);
  EXPECT_EQ(histogram.at(2), 2);
  EXPECT_EQ(histogram.at(3), 1);
  EXPECT_EQ(histogram.at(10), 1);
  EXPECT_EQ(histogram.at(11), 1);
  EXPECT_EQ(histogram.at(32), 1);
  EXPECT_EQ(PowerHistogram::from_json(histogram.json()).json(), histogram.json());
}

TEST(ProgressText, SharesRatesAndTimeToGo) {
  PrepareProgress progress{.input_bytes = 1000'000'000,
                           .done_bytes = 550'000'000,
                           .resumed_bytes = 500'000'000,
                           .rows = 20'000,
                           .tokens = 30'000'000,
                           .kept = 39'999,
                           .dropped = 1,
                           .seconds = 10};
  EXPECT_EQ(progress_text(progress),
            " 55 % [###########.........] 39999 rows kept, 1 left out, 2.0k rows/s, 3.0M tokens/s, 5.0 MB/s, "
            "1m30s to go");
  progress.input_bytes = 0;
  EXPECT_EQ(progress_text(progress), "39999 rows kept, 1 left out, 2.0k rows/s, 3.0M tokens/s");
}

}  // namespace
}  // namespace dflash
