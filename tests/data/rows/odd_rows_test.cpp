// The odd rows of golden/text: odd_rows.jsonl holds its inputs and verdicts. What a row's fate depends on beyond its
// own text (the rendered length, the mask token) is decided by later stages: here such a row is kept.
#include <gtest/gtest.h>

#include <set>

#include "common/base/file.h"
#include "tests/data/rows/row_files.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

const std::set<std::string> kLaterReasons{"template_error", "too_few_supervised", "mask_token_in_answer"};

Json built_row(const Json& build) {
  std::string answer;
  for (int i = 0; i < build["times"].get<int>(); ++i) answer += build["unit"].get<std::string>();
  Json ask{{"role", "user"}, {"content", build["ask"]}}, reply{{"role", "assistant"}, {"content", answer}};
  return {{"messages", {std::move(ask), std::move(reply)}}};
}

std::string file_text(const Json& input) {
  if (input.contains("file")) return input["file"].get<std::string>();
  return input.contains("line") ? input["line"].get<std::string>() : built_row(input["build"]).dump();
}

/// Equal whatever the order of keys.
bool same(const Json& a, const Json& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

void expect_verdict(const Json& expect, const RowVerdict& verdict) {
  if (expect["verdict"] == "reject" && !kLaterReasons.contains(expect["reason"].get<std::string>())) {
    ASSERT_TRUE(verdict.dropped) << "kept, expected " << expect["reason"];
    EXPECT_EQ(drop_reason_name(*verdict.dropped), expect["reason"].get<std::string>()) << verdict.detail;
    EXPECT_FALSE(verdict.detail.empty());
    return;
  }
  ASSERT_FALSE(verdict.dropped) << drop_reason_name(*verdict.dropped) << ": " << verdict.detail;
  if (expect.contains("messages")) {
    EXPECT_TRUE(same(verdict.conversation.messages, expect["messages"])) << verdict.conversation.messages;
    EXPECT_TRUE(same(verdict.conversation.tools, expect.value("tools", Json()))) << verdict.conversation.tools;
  }
}

TEST(OddRows, EachEndsWithItsVerdict) {
  const TempFolder folder;
  const auto path = folder.path() / "odd.jsonl";
  int cases = 0;
  LineReader reader((test::source_dir() / "tests/data/rows/odd_rows.jsonl").string());
  for (Line line; reader.next(line); ++cases) {
    const Json odd = parse_json(line.text, "odd_rows.jsonl");
    SCOPED_TRACE(odd["id"].get<std::string>());
    write_text(path, file_text(odd["input"]));
    const auto verdicts = verdicts_of(path);
    const Json expected = odd["expect"]["verdict"] == "file" ? odd["expect"]["lines"] : Json::array({odd["expect"]});
    ASSERT_EQ(verdicts.size(), expected.size());
    for (size_t i = 0; i < verdicts.size(); ++i) {
      EXPECT_EQ(verdicts[i].first, expected[i].value("line", static_cast<int64_t>(i) + 1));
      expect_verdict(expected[i], verdicts[i].second);
    }
  }
  EXPECT_EQ(cases, 42);
}

TEST(OddRows, OurCopyAsksForTheSameAsTheGoldenFile) {
  const auto golden = test::source_dir().parent_path() / "shared/golden/text/oddrows.jsonl";
  if (!std::filesystem::exists(golden)) GTEST_SKIP() << golden << " is not there";
  const auto ours = lines_of(test::source_dir() / "tests/data/rows/odd_rows.jsonl"), theirs = lines_of(golden);
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    const Json own = parse_json(ours[i].text, "ours"), other = parse_json(theirs[i].text, "theirs");
    EXPECT_EQ(own["input"], other["input"]) << own["id"];
    EXPECT_EQ(own["expect"]["verdict"], other["expect"]["verdict"]) << own["id"];
    EXPECT_EQ(own["expect"].value("reason", ""), other["expect"].value("reason", "")) << own["id"];
  }
}

}  // namespace
}  // namespace dflash
