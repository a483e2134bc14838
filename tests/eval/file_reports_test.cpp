#include "common/eval/file_reports.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

/// One pass that committed `accepted` drafted tokens and one of the target's own.
Decoded decoded_with(int64_t accepted) {
  DecodeStep step;
  step.draft = {1, 2, 3};
  step.accepted = accepted;
  step.committed.assign(static_cast<size_t>(accepted) + 1, 9);
  return {1, {1, 9}, {step}};
}

class FileReports : public ::testing::Test {
 protected:
  const std::vector<Prompt> prompts_{{{1}, "code", 0, ""}, {{1}, "chat", 0, ""}, {{1}, "all", 1, ""}};
  const std::vector<Decoded> decoded_{decoded_with(3), decoded_with(0), decoded_with(1)};
  const std::vector<GreedyVerdict> verdicts_{GreedyVerdict::equal, GreedyVerdict::equal, GreedyVerdict::near_tie};
  const AcceptanceReport all_ = make_report(prompts_, decoded_, verdicts_, 4);
  const std::vector<FileReport> files_ =
      make_file_reports({"a.jsonl", "b\033.jsonl"}, prompts_, decoded_, verdicts_, 4);
};

TEST_F(FileReports, EveryFileHasItsOwnCounts) {
  ASSERT_EQ(files_.size(), 2U);
  EXPECT_EQ(files_[0].report.all.prompts, 2);
  EXPECT_DOUBLE_EQ(files_[0].report.all.acceptance_length(), 2.5);
  EXPECT_DOUBLE_EQ(files_[1].report.all.acceptance_length(), 2.0);
  EXPECT_EQ(files_[0].report.near_ties, 0);
  EXPECT_EQ(files_[1].report.near_ties, 1);
}

TEST_F(FileReports, JsonKeepsItsKeysAndHasAListOfFiles) {
  const Json json = file_reports_json(all_, files_);
  const Json plain = report_json(all_);
  for (const auto& [key, value] : plain.items()) EXPECT_EQ(json[key], value) << key;
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["path"], "a.jsonl");
  EXPECT_EQ(json["files"][0]["by_kind"]["code"]["prompts"], 1);
  EXPECT_EQ(json["files"][1]["histogram"], (Json{0, 1, 0, 0}));
  EXPECT_EQ(json["prompts"], 3);
}

TEST_F(FileReports, TextHasATableForEachFile) {
  const std::string text = file_reports_text(all_, files_);
  const std::string tables =
      "a.jsonl\n"
      "kind              prompts     passes   accepted   length\n"
      "chat                    1          1          0    1.000\n"
      "code                    1          1          3    4.000\n"
      "in all                  2          2          3    2.500\n"
      "\n"
      "b\\x1b.jsonl\n"
      "kind              prompts     passes   accepted   length\n"
      "in all                  1          1          1    2.000\n"
      "\n"
      "2 files\n";
  EXPECT_EQ(text, tables + report_text(all_));
}

TEST_F(FileReports, OneFileIsAsItWas) {
  EXPECT_EQ(file_reports_text(all_, {files_[0]}), report_text(all_));
}

}  // namespace
}  // namespace dflash
