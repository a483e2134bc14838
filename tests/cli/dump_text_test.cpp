// dflash dump text, as a person starts it: one answer a row, errors in their place, the right exit code.
#include <gtest/gtest.h>

#include <sstream>

#include "common/base/json.h"
#include "tests/cli/run_shell.h"
#include "tests/data/rows/row_files.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

class DumpText : public testing::Test {
 protected:
  [[nodiscard]] ShellResult run(const std::string& arguments) const {
    return run_shell("cd '" + folder_.path().string() + "' && timeout 60 '" +
                     (test::programs_dir() / "dflash").string() + "' dump " + arguments + " 2>&1");
  }
  [[nodiscard]] static std::string tokenizer() {
    return (test::source_dir() / "tests/golden/text/bad/ok_minimal.json").string();
  }
  static std::vector<Json> rows_of(const std::string& output) {
    std::vector<Json> rows;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
    return rows;
  }

  TempFolder folder_;
};

TEST_F(DumpText, OneAnswerARow) {
  write_text(folder_.path() / "rows.jsonl", "{\"text\":\"ab\"}\n\n{\"text\":\"ba\"}\n");
  const ShellResult result = run("text --tokenizer " + tokenizer() + " --input rows.jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const std::vector<Json> rows = rows_of(result.output);
  ASSERT_EQ(rows.size(), 2U);
  const Json expected = {{"ids", {1, 0}},
                         {"offsets", {{0, 1}, {1, 2}}},
                         {"tokens", {"b", "a"}},
                         {"decoded", "b a"},
                         {"decoded_skip_special", "b a"},
                         {"ids_plain", {1, 0}},
                         {"offsets_plain", {{0, 1}, {1, 2}}}};
  EXPECT_EQ(rows[1], expected);
}

TEST_F(DumpText, RowsThatCannotBeAnswered) {
  write_text(folder_.path() / "rows.jsonl", "{\"text\":1}\nnonsense\n{\"text\":\"a\"}\n");
  const ShellResult result = run("text --tokenizer " + tokenizer() + " --input - < rows.jsonl");
  EXPECT_EQ(result.exit_code, 11);
  const std::vector<Json> rows = rows_of(result.output);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NE(rows[0].at("error").get<std::string>().find("'text'"), std::string::npos);
  EXPECT_NE(rows[1].at("error").get<std::string>().find("standard input:2"), std::string::npos);
  EXPECT_EQ(rows[2].at("ids"), Json({0}));
}

TEST_F(DumpText, CompressedRowsAndPatternsAreReadAsEverywhere) {
  write_text(folder_.path() / "a.jsonl.gz", gzipped("\xef\xbb\xbf{\"text\":\"ba\"}\n{\"text\":\"a\"}"));
  write_text(folder_.path() / "b.jsonl.zst", zstd_packed("{\"text\":\"b\"}\r\n"));
  const std::string words = "text --tokenizer " + tokenizer() + " --input ";
  const ShellResult both = run(words + "'*.jsonl.*'");
  EXPECT_EQ(both.exit_code, 0) << both.output;
  const std::vector<Json> rows = rows_of(both.output);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("ids"), Json({1, 0}));
  EXPECT_EQ(rows[2].at("ids").size(), 1U);
  EXPECT_EQ(rows_of(run(words + "- < a.jsonl.gz").output).size(), 2U);
  const std::string whole = read_text(folder_.path() / "a.jsonl.gz");
  write_text(folder_.path() / "a.jsonl.gz", whole.substr(0, whole.size() - 6));
  const ShellResult cut = run(words + "a.jsonl.gz");
  EXPECT_EQ(cut.exit_code, 11);
  EXPECT_NE(cut.output.find("dflash: a.jsonl.gz: the gzip data"), std::string::npos) << cut.output;
}

TEST_F(DumpText, MissingFilesAreNamed) {
  EXPECT_EQ(run("text --tokenizer nowhere.json --input -").exit_code, 11);
  const ShellResult result = run("text --tokenizer " + tokenizer() + " --input nowhere.jsonl");
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_NE(result.output.find("nowhere.jsonl"), std::string::npos) << result.output;
  EXPECT_EQ(run("text --input x").exit_code, 10);
}

}  // namespace
}  // namespace dflash
