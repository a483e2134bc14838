// dflash prepare as a person starts it; and dflash dump mask without thoughts.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/json.h"
#include "common/data/prepared/prepared_folder.h"
#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

class Prepare : public testing::Test {
 protected:
  ShellResult run(const std::string& arguments, const std::string& before = "") {
    return run_shell(before + (test::programs_dir() / "dflash").string() + " " + arguments + " 2>&1");
  }
  ShellResult prepare(const std::string& arguments, const std::string& before = "") {
    return run("prepare --model " + model_ + " --output " + path("p") + " --min-supervised 2 " + arguments, before);
  }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }
  static void expect_says(const ShellResult& result, const std::string& words) {
    EXPECT_NE(result.output.find(words), std::string::npos) << words << "\n" << result.output;
  }

  TempFolder folder_;
  std::string model_ = (test::source_dir() / "deploy" / "quickstart-data" / "target").string();
  std::string chats_ = (test::source_dir() / "tests" / "data" / "prepare" / "quickstart_chats.jsonl").string();
};

TEST_F(Prepare, WritesTheFolderAndTellsShapeProgressAndLedger) {
  const ShellResult result = prepare(chats_ + " --ledger " + path("ledger.json"));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  expect_says(result, "rows are read as messages (32 of the first 32");
  expect_says(result, "100 % [####################] 60 rows kept, 0 left out");
  expect_says(result, "60 rows read, 60 kept, 0 left out");
  expect_says(result, "tokens per second");
  expect_says(result, path("p") + ": finished, 60 rows");
  const PreparedFolder data = PreparedFolder::open(path("p"));
  EXPECT_EQ(data.count(), 60);
  EXPECT_EQ(data.ledger(), Json::parse(read_text(path("ledger.json"))));
  EXPECT_EQ(data.key()["settings"]["vocab_size"], 2048) << "of the model's config.json";
  expect_says(prepare(chats_), "was finished already from the same files with the same settings, nothing was done");
}

TEST_F(Prepare, AnotherTemplateSeesTheSpecialTokensOfTheModel) {
  write_text(path("own.jinja"), "{{ eos_token }}{% for m in messages %}{{ m.content }}{% endfor %}");
  const ShellResult result = prepare(chats_ + " --supervise everything --template " + path("own.jinja"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const PreparedFolder data = PreparedFolder::open(path("p"));
  ASSERT_EQ(data.count(), 60);
  for (int64_t i = 0; i < data.count(); ++i) EXPECT_EQ(data.input_ids(i).front(), 2046) << "of the model";
}

/// Switched off, a thought is an empty block that the prompt brings.
constexpr const char* kThinking =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' and enable_thinking is false %}"
    "<think></think>{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% if enable_thinking is false %}<think></think>{% endif %}"
    "{% endif %}";

TEST_F(Prepare, VariablesOfTheTemplateAreKeptAndShown) {
  write_text(path("t.jinja"), kThinking);
  const std::string words = "--template " + path("t.jinja") + " --template-variable enable_thinking=false ";
  ASSERT_EQ(prepare(words + chats_).exit_code, 0);
  const PreparedFolder data = PreparedFolder::open(path("p"));
  EXPECT_EQ(data.count(), 60);
  EXPECT_EQ(data.key()["settings"]["template_variables"].dump(), R"({"enable_thinking":false})");
  const ShellResult shown = run("inspect data --rows 1 --tokenizer " + model_ + " " + path("p"));
  expect_says(shown, "template variables\n      enable_thinking     false");
  expect_says(shown, "<think></think>[[");
  const ShellResult other = prepare("--template " + path("t.jinja") + " " + chats_);
  EXPECT_EQ(other.exit_code, 10);
  expect_says(other, "settings.template_variables differ");
  const ShellResult typed =
      prepare("--template-variable enable_thinkin=false --template " + path("t.jinja") + " " + chats_);
  EXPECT_EQ(typed.exit_code, 10);
  expect_says(typed, "template variable enable_thinkin: the chat template never reads it; it reads enable_thinking");
}

TEST_F(Prepare, DumpMaskTakesVariables) {
  write_text(path("t.jinja"), kThinking);
  write_text(path("rows.jsonl"),
             R"({"messages":[{"role":"user","content":"One?"},{"role":"assistant","content":"First"}]})"
             "\n");
  const auto ids = [&](const std::string& more) {
    const ShellResult result = run("dump mask --tokenizer " + model_ + "/tokenizer.json --template " + path("t.jinja") +
                                   " --input " + path("rows.jsonl") + more);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return Json::parse(result.output);
  };
  const Json plain = ids("");
  const Json switched = ids(" --template-variable enable_thinking=false");
  EXPECT_NE(switched["text"].get<std::string>().find("<think></think>First"), std::string::npos);
  const auto count = [](const Json& row) { return std::ranges::count(row["loss_mask"], Json(1)); };
  EXPECT_EQ(count(plain), count(switched)) << "the prompt brings the empty thought";
  EXPECT_LT(plain["input_ids"].size(), switched["input_ids"].size());
}

TEST_F(Prepare, OtherSettingsAreRefusedInWords) {
  ASSERT_EQ(prepare(chats_).exit_code, 0);
  const ShellResult refused = prepare(chats_ + " --max-tokens 50 --too-long drop");
  EXPECT_EQ(refused.exit_code, 10);
  expect_says(refused, "(settings.max_tokens, settings.too_long differ); name another folder, or overwrite it");
  const ShellResult result = prepare(chats_ + " --max-tokens 50 --too-long drop --overwrite");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  expect_says(result, "too_long");
  EXPECT_LE(PreparedFolder::open(path("p")).totals().longest_document, 50);
}

TEST_F(Prepare, ADamagedFolderIsPreparedAnewWhenItMayBeOverwritten) {
  ASSERT_EQ(prepare(chats_).exit_code, 0);
  write_text(path("p") + "/shard-000000.tokens", "no shard");
  const ShellResult refused = prepare(chats_);
  EXPECT_EQ(refused.exit_code, 11);
  expect_says(refused, "name another folder, or overwrite it");
  const ShellResult result = prepare(chats_ + " --overwrite");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  expect_says(result, "the data are prepared anew");
  EXPECT_EQ(PreparedFolder::open(path("p")).count(), 60);
}

TEST_F(Prepare, ReadsStandardInputButNeverGoesOnWithIt) {
  const std::string before = "cat " + chats_ + " | ";
  EXPECT_EQ(prepare("-", before).exit_code, 0);
  EXPECT_EQ(PreparedFolder::open(path("p")).count(), 60);
  const ShellResult again = prepare("-", before);
  EXPECT_EQ(again.exit_code, 10);
  expect_says(again, "standard input or a pipe, which cannot be compared");
  EXPECT_EQ(prepare("- --overwrite", before).exit_code, 0);
}

TEST_F(Prepare, EveryRuleReachesTheRows) {
  const std::string rules =
      " --supervise last_turn --no-reasoning --mask-token-id 2047 --vocab-size 2047 --format messages --threads 3"
      " --now '2025-05-05 05:05:05'";
  const ShellResult result = prepare(chats_ + rules);
  EXPECT_EQ(result.exit_code, 10);
  expect_says(result, "mask_token_id is 2047, expected 0 to 2046");
  ASSERT_EQ(prepare(chats_ + rules + " --vocab-size 2048").exit_code, 10) << "given twice";
  ASSERT_EQ(
      prepare("'" + chats_.substr(0, chats_.size() - 6) + "*'" + " --supervise last_turn --no-reasoning").exit_code, 0);
  const Json settings = PreparedFolder::open(path("p")).key()["settings"];
  EXPECT_EQ(settings["supervise"], "last_turn");
  EXPECT_EQ(settings["reasoning"], false);
}

TEST_F(Prepare, ASignalStopsItInWords) {
  std::string text;
  const std::string rows = read_text(chats_);
  for (int i = 0; i < 800; ++i) text += rows;
  write_text(path("many.jsonl"), text);
  // Once rows are read, a signal is noted.
  const ShellResult stopped = run_shell(
      (test::programs_dir() / "dflash").string() + " prepare " + path("many.jsonl") + " --threads 1 --model " + model_ +
      " --output " + path("p") + " >" + path("log") + " 2>&1 & pid=$!; until grep -q 'rows are read' " + path("log") +
      "; do sleep 0.05; done; kill -TERM $pid; wait $pid; code=$?; cat " + path("log") + "; exit $code");
  EXPECT_EQ(stopped.exit_code, 144) << stopped.output;
  expect_says(stopped, "stopped; 0 rows are stored in whole shards");
  EXPECT_EQ(prepare(chats_).exit_code, 10) << "the folder is another's";
  EXPECT_EQ(prepare(chats_ + " --overwrite").exit_code, 0);
}

TEST_F(Prepare, ABrokenFileEndsItByName) {
  write_text(path("b.jsonl.gz"), std::string("\x1f\x8b\x08\x00rubbish", 11));
  const ShellResult result = prepare(chats_ + " " + path("b.jsonl.gz"));
  EXPECT_EQ(result.exit_code, 11);
  expect_says(result, "60 rows read, 60 kept");
  expect_says(result, "dflash: " + path("b.jsonl.gz") + ": the gzip data are");
}

TEST_F(Prepare, WrongWordsAreRefused) {
  EXPECT_EQ(prepare("").exit_code, 10);
  EXPECT_EQ(prepare(path("none.jsonl")).exit_code, 11);
  EXPECT_EQ(prepare(chats_ + " --supervise some").exit_code, 10);
  EXPECT_EQ(prepare(chats_ + " --too-long keep").exit_code, 10);
  EXPECT_EQ(prepare(chats_ + " --now yesterday").exit_code, 10);
  EXPECT_EQ(run("prepare " + chats_ + " --output " + path("q")).exit_code, 10) << "no tokenizer";
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

TEST_F(Prepare, DumpMaskTakesThoughtsOut) {
  write_text(path("t.jinja"),
             "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.reasoning_content %}"
             "<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
             "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}");
  write_text(path("rows.jsonl"), R"({"messages":[{"role":"user","content":"One?"},)"
                                 R"({"role":"assistant","content":"7","reasoning_content":"let me think"}]})");
  const auto supervised = [&](const std::string& flag) {
    const ShellResult result = run("dump mask --tokenizer " + model_ + "/tokenizer.json --template " + path("t.jinja") +
                                   " --input " + path("rows.jsonl") + flag);
    const Json mask = Json::parse(result.output)["loss_mask"];
    return std::count(mask.begin(), mask.end(), Json(1));
  };
  EXPECT_EQ(supervised(" --no-reasoning"), 2) << "7 and the end of the turn";
  EXPECT_GT(supervised(""), 6);
}

}  // namespace
}  // namespace dflash
