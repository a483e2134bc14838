// dflash dump rows as a person starts it: a line for each row, the shape and the ledger beside them.
#include <gtest/gtest.h>

#include <sstream>

#include "common/base/json.h"
#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

constexpr const char* kGood =
    R"({"messages":[{"role":"user","content":"Ask"},{"role":"assistant","content":"Reply"}]})";

class DumpRows : public testing::Test {
 protected:
  ShellResult dump(const std::string& arguments, const std::string& before = "") {
    return run_shell(before + (test::programs_dir() / "dflash").string() + " dump rows " + arguments);
  }
  std::vector<Json> rows(const std::string& arguments) {
    std::vector<Json> rows;
    std::istringstream lines(dump(arguments + " 2>/dev/null").output);
    for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
    return rows;
  }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) { write_text(path(name), text); }

  TempFolder folder_;
};

TEST_F(DumpRows, AFullDiskBehindStandardOutputIsNoSuccess) {
  write("a.jsonl", std::string(kGood) + "\n");
  const ShellResult full = dump("--input " + path("a.jsonl") + " 2>&1 >/dev/full");
  EXPECT_EQ(full.exit_code, 13);
  EXPECT_NE(full.output.find("standard output did not take all"), std::string::npos) << full.output;
  EXPECT_EQ(dump("--input " + path("a.jsonl") + " 2>&1 >&-").exit_code, 12);
  EXPECT_EQ(dump("--input " + path("a.jsonl") + " >/dev/null").exit_code, 0);
}

TEST_F(DumpRows, PrintsVerdictsOfAllFiles) {
  write("b.jsonl", std::string(kGood) + "\n\nbroken\n");
  write("a.jsonl", R"({"text":"plain","id":"x"})"
                   "\n"
                   R"({"text":" "})");
  const auto all = rows("--input '" + path("*.jsonl") + "'");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(
      all[0],
      (Json{{"file", path("a.jsonl")}, {"line", 1}, {"verdict", "accept"}, {"id", "x"}, {"preformatted", "plain"}}));
  EXPECT_EQ(all[1]["reason"], "blank_conversation");
  EXPECT_EQ(all[2]["messages"], Json::parse(kGood)["messages"]);
  EXPECT_EQ(all[3]["line"], 3);
  EXPECT_EQ(all[3]["verdict"], "reject");
  EXPECT_EQ(all[3]["reason"], "bad_json");
}

TEST_F(DumpRows, TellsShapeAndLedgerBesideTheRows) {
  write("a.jsonl", std::string(kGood) + "\nbroken\n");
  const ShellResult result =
      dump("--input " + path("a.jsonl") + " --ledger " + path("ledger.json") + " 2>&1 >/dev/null");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.output.find("rows are read as messages (1 of the first 2"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("2 rows read, 1 kept, 1 left out\n  bad_json"), std::string::npos) << result.output;
  EXPECT_EQ(Json::parse(read_text(path("ledger.json")))["dropped"]["bad_json"]["count"], 1);
}

TEST_F(DumpRows, ControlsOfTheDataDoNotReachATerminal) {
  const Json row{{"text", "a\u009b31mb\u202ec\u007f\x1b é\U000E0041"}};
  write("a.jsonl", row.dump() + "\n");
  const ShellResult result = dump("--input " + path("a.jsonl") + " 2>/dev/null");
  EXPECT_NE(result.output.find(R"("a\u009b31mb\u202ec\u007f\u001b é\udb40\udc41")"), std::string::npos)
      << result.output;
  EXPECT_EQ(Json::parse(result.output)["preformatted"], row["text"]) << "the same value";
}

TEST_F(DumpRows, ReadsStandardInputAsTheFormatThatIsAskedFor) {
  const ShellResult result = dump("--input - --format text 2>/dev/null", R"(echo '{"text":"a","messages":[]}' | )");
  EXPECT_EQ(Json::parse(result.output)["preformatted"], "a");
}

TEST_F(DumpRows, ABrokenFileEndsByNameAfterTheRowsBefore) {
  write("a.jsonl", std::string(kGood) + "\n");
  write("b.jsonl.gz", std::string("\x1f\x8b\x08\x00rubbish", 11));
  const ShellResult result = dump("--input " + path("a.jsonl") + " " + path("b.jsonl.gz") + " 2>&1");
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_NE(result.output.find("1 rows read, 1 kept, 0 left out"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("dflash: " + path("b.jsonl.gz") + ": the gzip data are"), std::string::npos)
      << result.output;
}

TEST_F(DumpRows, WrongWordsAreRefused) {
  EXPECT_EQ(dump("2>&1").exit_code, 10);
  EXPECT_EQ(dump("--input " + path("none.jsonl") + " 2>&1").exit_code, 11);
  write("a.jsonl", kGood);
  EXPECT_EQ(dump("--input " + path("a.jsonl") + " --format chat 2>&1").exit_code, 10);
}

}  // namespace
}  // namespace dflash
