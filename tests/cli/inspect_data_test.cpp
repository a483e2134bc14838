// dflash inspect data as a person and a script meet it.
#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/json.h"
#include "common/data/prepared/prepared_writer.h"
#include "common/text/tokenizer/tokenizer.h"
#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class InspectData : public testing::Test {
 protected:
  void SetUp() override {
    PreparedWriter writer(prepared(), Json{{"tokenizer", "0123456789abcdef"}});
    add(writer, "<|im_start|>user\nHi<|im_end|>\n", "Hello there.<|im_end|>");
    add(writer, "harm \x1b[2J\u202e", "\x07 done");
    for (int i = 2; i < 40; ++i) add(writer, "number ", std::to_string(i));
    writer.finish(Json{{"rows", 41}, {"dropped", {{"no_messages", 1}}}});
  }

  static void add(PreparedWriter& writer, const std::string& asked, const std::string& answered) {
    static const Tokenizer tokenizer = Tokenizer::read(target() / "tokenizer.json");
    TokenizerScratch scratch;
    std::vector<int32_t> ids;
    std::vector<uint8_t> mask;
    for (const auto& [text, supervised] : {std::pair{&asked, 0}, std::pair{&answered, 1}}) {
      Encoding encoding;
      tokenizer.encode(*text, {}, scratch, encoding);
      ids.insert(ids.end(), encoding.ids.begin(), encoding.ids.end());
      mask.resize(ids.size(), static_cast<uint8_t>(supervised));
    }
    writer.add(ids, mask);
  }

  [[nodiscard]] fs::path prepared() const { return folder_.path() / "prepared"; }
  static fs::path target() { return test::source_dir() / "deploy/quickstart-data/target"; }

  [[nodiscard]] ShellResult run(const std::string& options, bool with_tokenizer = true) const {
    return run_on(prepared().string(), options, with_tokenizer);
  }
  [[nodiscard]] static ShellResult run_on(const std::string& paths, const std::string& options,
                                          bool with_tokenizer = true) {
    const std::string tokenizer = with_tokenizer ? " --tokenizer '" + target().string() + "' " : " ";
    return run_shell("timeout 60 '" + (test::programs_dir() / "dflash").string() + "' inspect data " + paths +
                     tokenizer + options + " 2>&1 </dev/null");
  }

  TempFolder folder_;
};

void expect_says(const ShellResult& result, const std::string& part) {
  EXPECT_NE(result.output.find(part), std::string::npos) << part << " is not in:\n" << result.output;
}

TEST_F(InspectData, TotalsLedgerAndMarkedText) {
  const ShellResult result = run("--rows 1");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* part : {"kind                prepared folder\n", "documents           40\n",
                           "content             not read (--verify)\n", "key\n  tokenizer           0123456789abcdef\n",
                           "ledger\n  rows                41\n  dropped\n    no messages         1\n"}) {
    expect_says(result, part);
  }
  expect_says(result, "\n    <|im_start|>user↵\n    Hi<|im_end|>↵\n    [[Hello there.<|im_end|>]]\n");
  EXPECT_EQ(result.output.find("document 1:"), std::string::npos);
}

TEST_F(InspectData, ColoursWhenAsked) {
  expect_says(run("--rows 1 --color always"), "\x1b[32mHello there.<|im_end|>\x1b[0m");
  for (const char* options : {"--rows 1", "--rows 1 --color never"}) {
    EXPECT_EQ(run(options).output.find('\x1b'), std::string::npos);
  }
}

TEST_F(InspectData, ControlCharactersOfTheDataStayInside) {
  const ShellResult plain = run("--first 1 --rows 1"), json = run("--first 1 --rows 1 --json");
  expect_says(plain, "harm \\x1b[2J\\u202e[[\\x07 done]]");
  expect_says(json, "harm \\u001b[2J\\u202e");
  for (const std::string& output : {plain.output, json.output}) {
    EXPECT_EQ(output.find_first_of("\x1b\x07"), std::string::npos);
    EXPECT_EQ(output.find("\u202e"), std::string::npos);
  }
}

TEST_F(InspectData, RowsInOrderOrDrawn) {
  const auto documents = [&](const std::string& options) {
    const ShellResult result = run(options + " --json");
    const Json json = parse_json(result.output, "output");
    std::vector<int64_t> numbers;
    for (const Json& row : json.at(0).at("rows")) numbers.push_back(row.at("document").get<int64_t>());
    return numbers;
  };
  EXPECT_EQ(documents("--first 37 --rows 9"), (std::vector<int64_t>{37, 38, 39}));
  EXPECT_EQ(documents("--first 99"), (std::vector<int64_t>{}));
  EXPECT_EQ(documents("--rows 0"), (std::vector<int64_t>{}));
  const auto drawn = documents("--rows 10 --random 4");
  EXPECT_EQ(drawn.size(), 10U);
  EXPECT_EQ(documents("--rows 10 --random 4"), drawn);
  EXPECT_NE(documents("--rows 10 --random 5"), drawn);
  auto all = documents("--rows 99 --random 4");
  std::ranges::sort(all);
  EXPECT_EQ(all.size(), 40U);
  EXPECT_EQ(std::ranges::unique(all).begin(), all.end());
}

TEST_F(InspectData, JsonHoldsTheRuns) {
  const Json json = parse_json(run("--rows 1 --json --verify").output, "output");
  const Json& data = json.at(0);
  EXPECT_EQ(data.at("documents"), 40);
  EXPECT_EQ(data.at("content"), "verified");
  EXPECT_EQ(data.at("rows").at(0).at("runs"),
            (Json{{{"text", "<|im_start|>user\nHi<|im_end|>\n"}, {"supervised", false}},
                  {{"text", "Hello there.<|im_end|>"}, {"supervised", true}}}));
}

TEST_F(InspectData, LongDocumentsAreCutAndSaidSo) {
  const ShellResult result = run("--rows 1 --tokens 2");
  expect_says(result, "<|im_start|>");
  expect_says(result, "more tokens (--tokens)");
  EXPECT_EQ(result.output.find("Hello"), std::string::npos);
}

TEST_F(InspectData, RowsOfTokenIdsToo) {
  write_text(folder_.path() / "a.jsonl", R"({"input_ids":[65,66,67],"loss_mask":[0,1,1]})");
  write_text(folder_.path() / "b.jsonl", R"({"input_ids":[65,66,99999999],"loss_mask":[0,1,1]})");
  const ShellResult result =
      run_on((folder_.path() / "a.jsonl").string() + " " + (folder_.path() / "b.jsonl").string(), "");
  EXPECT_EQ(result.exit_code, 0);
  expect_says(result, "kind                rows of token ids\n");
  expect_says(result, "document 0: 3 tokens, 2 supervised\n");
  expect_says(result, "1 IDS THAT THE TOKENIZER DOES NOT KNOW");
}

TEST_F(InspectData, DamageIsFoundByVerifyAlone) {
  std::string bytes = read_text(prepared() / "shard-000000.tokens");
  bytes[200] = static_cast<char>(bytes[200] ^ 1);
  write_text(prepared() / "shard-000000.tokens", bytes);
  EXPECT_EQ(run("--rows 0").exit_code, 0);
  const ShellResult result = run("--rows 0 --verify");
  EXPECT_EQ(result.exit_code, 11);
  expect_says(result, "its content is damaged");
}

TEST_F(InspectData, WithoutATokenizerTheTotalsAreShown) {
  const ShellResult totals = run("", false);
  EXPECT_EQ(totals.exit_code, 0);
  expect_says(totals, "supervised tokens");
  expect_says(totals, "documents are shown with --tokenizer MODEL\n");
  expect_says(run("--first 1000"), "no document from 1000 on");
}

TEST_F(InspectData, RefusalsInWords) {
  EXPECT_EQ(run("--rows 0", false).exit_code, 0);
  EXPECT_EQ(run("--color sometimes").exit_code, 10);
  EXPECT_EQ(run("--first 3 --random 3").exit_code, 10);
  const TempFolder nothing;
  const ShellResult empty = run_on(nothing.path().string(), "");
  EXPECT_EQ(empty.exit_code, 11);
  expect_says(empty, "a folder without prepared.json");
}

TEST_F(InspectData, ACacheIsListed) {
  const ShellResult listed = run_on(folder_.path().string(), "--verify");
  EXPECT_EQ(listed.exit_code, 0) << listed.output;
  expect_says(listed, folder_.path().string() + ": 1 prepared data set(s), ");
  expect_says(listed, "finished    last used 2");
  expect_says(listed, prepared().string() + "\n");
  const Json json = Json::parse(run_on(folder_.path().string(), "--json").output);
  EXPECT_EQ(json[0]["kind"], "cache");
  EXPECT_EQ(json[0]["entries"][0]["path"], prepared().string());
  EXPECT_EQ(json[0]["entries"][0]["bytes"], json[0]["bytes"]);
  EXPECT_GT(json[0]["bytes"], 0);
}

}  // namespace
}  // namespace dflash
