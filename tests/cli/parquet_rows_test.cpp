// Parquet through dflash dump rows: the program beside it writes the rows. kinds.parquet holds three rows in two row
// groups: a list of structs with nulls, large strings, a dictionary, floats, booleans, a time, a map, 64 bits unsigned.
#include <gtest/gtest.h>

#include <sstream>

#include "common/base/json.h"
#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kKinds = test::source_dir() / "tests/cli/kinds.parquet";

ShellResult run(const std::string& arguments) {
  return run_shell((test::programs_dir() / arguments).string());
}

/// The rows that dump rows prints, without the file's name.
std::vector<Json> rows_of(const fs::path& path) {
  std::vector<Json> rows;
  std::istringstream lines(run("dflash dump rows --input " + path.string() + " 2>/dev/null").output);
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(Json::parse(line));
    rows.back().erase("file");
  }
  return rows;
}

class ParquetRows : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::programs_dir() / "dflash-parquet")) GTEST_SKIP() << "built without a pyarrow wheel";
  }
  TempFolder folder_;
};

TEST_F(ParquetRows, EveryKindOfColumnBecomesJson) {
  std::istringstream lines(run("dflash-parquet " + kKinds.string()).output);
  std::vector<Json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], Json::parse(R"({"id":"a","messages":[
      {"role":"user","content":"Ask \u00e9\u2028\"","name":null,"weight":null},
      {"role":"assistant","content":"Reply","name":"n","weight":1}],"tools":"[]","source":"x","score":1.5,"seen":true,
      "when":"2026-01-02 03:04:05.000","tags":{"k":1,"l":null},"big":9223372036854775808})"));
  EXPECT_EQ(rows[1], Json::parse(R"({"id":"b","messages":null,"tools":null,"source":"y","score":null,"seen":false,
      "when":null,"tags":null,"big":0})"));
  EXPECT_EQ(rows[2]["score"], -0.25);
  EXPECT_EQ(rows[2]["tags"], Json::object());
}

TEST_F(ParquetRows, AreReadLikeJsonLines) {
  const auto rows = rows_of(kKinds);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["messages"][0], (Json{{"role", "user"}, {"content", "Ask \u00e9\u2028\""}}));
  EXPECT_EQ(rows[1]["reason"], "empty_conversation");
  EXPECT_EQ(rows[1]["line"], 2);
  EXPECT_EQ(rows[2]["untrained"], Json::array({0}));
}

TEST_F(ParquetRows, SamplesHoldTheRowsOfTheirJsonLines) {
  const fs::path samples = test::source_dir().parent_path() / "shared/data/formats";
  if (!fs::exists(samples)) GTEST_SKIP() << samples << " is not there";
  for (const char* name : {"sharegpt", "pretokenized"}) {
    const auto lines = rows_of(samples / (std::string(name) + ".jsonl"));
    EXPECT_GT(lines.size(), 30U);
    EXPECT_EQ(rows_of(samples / (std::string(name) + ".parquet")), lines) << name;
  }
}

TEST_F(ParquetRows, ABrokenFileEndsByName) {
  const fs::path cut = folder_.path() / "cut.parquet";
  write_text(cut, read_text(kKinds).substr(0, 3000));
  const ShellResult result = run("dflash dump rows --input " + cut.string() + " 2>&1");
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_NE(result.output.find("dflash: " + cut.string() + ": the Parquet file cannot be read: "), std::string::npos)
      << result.output;
  const ShellResult piped = run("dflash dump rows --input - 2>&1 <" + kKinds.string());
  EXPECT_EQ(piped.exit_code, 11);
  EXPECT_NE(piped.output.find("Parquet cannot be read from there; name the file"), std::string::npos) << piped.output;
}

TEST_F(ParquetRows, ChangedBytesNeverEndTheReaderInAnotherWay) {
  const std::string whole = read_text(kKinds);
  const fs::path changed = folder_.path() / "changed.parquet";
  for (size_t at = 4; at < whole.size(); at += 211) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
    write_text(changed, bytes);
    const ShellResult result = run("dflash dump rows --input " + changed.string() + " 2>&1");
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 11) << "byte " << at << ": " << result.output;
  }
}

}  // namespace
}  // namespace dflash
