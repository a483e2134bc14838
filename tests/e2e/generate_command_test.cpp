// dflash generate as a person meets it, with the target of the quick start. quickstart_chats.jsonl: 40 of the
// conversations that were made with that target, by another implementation, greedily.

#include <gtest/gtest.h>

#include "common/data/prompts/prompt_encoder.h"
#include "common/eval/greedy_check.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const std::string kTarget = (test::source_dir() / "deploy/quickstart-data/target").string();
const std::string kChats = (test::source_dir() / "tests/e2e/quickstart_chats.jsonl").string();

std::vector<Json> rows_of(const std::string& text) {
  std::vector<Json> rows;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) rows.push_back(parse_json(line, "row"));
  return rows;
}

class GenerateCommand : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::string text(const std::string& name) const { return read_text(path(name)); }
  /// The first `count` conversations as a file of prompts.
  std::string chats(size_t count) {
    const std::string all = read_text(kChats);
    size_t end = 0;
    for (; count > 0; --count) end = all.find('\n', end) + 1;
    write_text(path("chats.jsonl"), all.substr(0, end));
    return path("chats.jsonl").string();
  }
  [[nodiscard]] std::string command(const std::string& prompts, const std::string& output,
                                    const std::string& arguments) const {
    return "dflash generate " + prompts + " --target " + kTarget + " --output " + path(output).string() + " " +
           arguments;
  }
  [[nodiscard]] test::ProgramResult generate(const std::string& prompts, const std::string& output,
                                             const std::string& arguments = "") const {
    return test::run_program(command(prompts, output, arguments), 300);
  }
  void expect_refused(const std::string& prompts, const std::string& arguments, int exit_code,
                      const std::string& words) const {
    const auto result = generate(prompts, "refused.jsonl", arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << ": " << result.output;
    EXPECT_NE(result.output.find(words), std::string::npos) << arguments << ": " << result.output;
    EXPECT_FALSE(fs::exists(path("refused.jsonl"))) << arguments;
  }

  TempFolder folder_;
};

/// Whether an answer is the greedy one but for a near tie, by a forward without caches.
class TieJudge {
 public:
  [[nodiscard]] bool is_greedy(const Json& messages, size_t answer) {
    Json before = Json::array();
    for (size_t i = 0; i < answer; ++i) before.push_back(messages[i]);
    const std::vector<int32_t> prompt = encoder_.encode_chat(before, Json(), scratch_);
    Decoded decoded{static_cast<int64_t>(prompt.size()), {prompt.begin(), prompt.end()}, {}};
    Encoding encoding;
    encoder_.tokenizer().encode(messages[answer]["content"].get<std::string>(), {.special_tokens = false}, scratch_,
                                encoding);
    decoded.ids.insert(decoded.ids.end(), encoding.ids.begin(), encoding.ids.end());
    decoded.ids.push_back(2046);
    return check_greedy(target_, {&decoded, 1}, {4096, 1, {2044, 2046}}).front() != GreedyVerdict::different;
  }

 private:
  PromptEncoder encoder_ = PromptEncoder::read({kTarget, {}, {}, Json::object()});
  ModelConfig config_ = read_model_config(kTarget);
  ModelWeights weights_{kTarget};
  TargetModel target_{config_, weights_, at::kFloat, config_.num_hidden_layers};
  TokenizerScratch scratch_;
};

TEST_F(GenerateCommand, GreedyAnswersAreThoseOfTheDataFile) {
  const auto result = generate(kChats, "out.jsonl", "--ledger " + path("ledger.json").string());
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const std::vector<Json> ours = rows_of(text("out.jsonl")), theirs = rows_of(read_text(kChats));
  ASSERT_EQ(ours.size(), 40U);
  TieJudge judge;
  int equal = 0, near_ties = 0;
  for (size_t row = 0; row < ours.size(); ++row) {
    EXPECT_EQ(ours[row]["id"], theirs[row]["id"]);
    EXPECT_EQ(ours[row]["row"], row);
    const Json &mine = ours[row]["messages"], &other = theirs[row]["messages"];
    ASSERT_EQ(mine.size(), other.size());
    for (size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i]["role"], other[i]["role"]);
      if (mine[i]["content"] == other[i]["content"]) {
        equal += mine[i]["role"] == "assistant" ? 1 : 0;
        continue;
      }
      ++near_ties;
      EXPECT_TRUE(judge.is_greedy(mine, i) && judge.is_greedy(other, i))
          << mine[i]["content"] << " instead of " << other[i]["content"];
      break;  // what follows was asked behind another answer
    }
  }
  EXPECT_GE(equal, 75) << "of 81";
  EXPECT_LE(near_ties, 2);
  const Json ledger = read_json_file(path("ledger.json"));
  EXPECT_EQ(ledger["kept"], 40);
  EXPECT_EQ(ledger["answers"], 81);
  EXPECT_EQ(ledger["stopped"], false);
}

TEST_F(GenerateCommand, DrawnAnswersAreThoseOfTheirSeed) {
  const std::string few = chats(8), how = " --temperature 0.8 --top-p 0.95 --top-k 40 --max-new-tokens 40 --seed ";
  for (const auto& [output, rest] :
       std::vector<std::pair<std::string, std::string>>{{"a.jsonl", how + "5 --batch 1 --threads 1"},
                                                        {"b.jsonl", how + "5 --batch 16 --threads 2"},
                                                        {"c.jsonl", how + "6"},
                                                        {"d.jsonl", " --max-new-tokens 40"}}) {
    ASSERT_EQ(generate(few, output, rest).exit_code, 0);
  }
  EXPECT_EQ(text("a.jsonl"), text("b.jsonl"));
  EXPECT_NE(text("a.jsonl"), text("c.jsonl"));
  EXPECT_NE(text("a.jsonl"), text("d.jsonl"));
}

TEST_F(GenerateCommand, AStoppedOrKilledRunGoesOn) {
  const std::string some = chats(14);
  ASSERT_EQ(generate(some, "whole.jsonl").exit_code, 0);
  const auto stop = [&](const std::string& signal, size_t lines) {
    return test::run_program("sh -c '" + command(some, "out.jsonl", "--batch 2 --threads 1") +
                             " & p=$!; while kill -0 $p && [ $(wc -l < " + path("out.jsonl").string() + ") -lt " +
                             std::to_string(lines) + " ]; do sleep 0.02; done; kill -" + signal + " $p; wait $p'");
  };
  write_text(path("out.jsonl"), "");
  const auto stopped = stop("TERM", 2);
  EXPECT_EQ(stopped.exit_code, 143) << stopped.output;
  EXPECT_NE(stopped.output.find("the same command goes on"), std::string::npos) << stopped.output;
  EXPECT_EQ(stop("KILL", 5).exit_code, 137);
  EXPECT_LT(text("out.jsonl").size(), text("whole.jsonl").size());
  EXPECT_TRUE(text("whole.jsonl").starts_with(text("out.jsonl")));
  std::ofstream(path("out.jsonl"), std::ios::app) << "{\"id\": \"half";
  const auto last = generate(some, "out.jsonl");
  EXPECT_EQ(last.exit_code, 0) << last.output;
  EXPECT_NE(last.output.find("going on at row"), std::string::npos) << last.output;
  EXPECT_EQ(text("out.jsonl"), text("whole.jsonl"));
  const auto again = generate(some, "out.jsonl");
  EXPECT_NE(again.output.find("14 rows were done before"), std::string::npos) << again.output;
  EXPECT_EQ(text("out.jsonl"), text("whole.jsonl")) << "nothing is left to do";
}

TEST_F(GenerateCommand, OtherSettingsOrPromptsAreNotMixed) {
  const std::string two = chats(2);
  ASSERT_EQ(generate(two, "out.jsonl", "--max-new-tokens 5").exit_code, 0);
  const std::string before = text("out.jsonl");
  const auto other = generate(two, "out.jsonl", "--max-new-tokens 6");
  EXPECT_EQ(other.exit_code, 10);
  EXPECT_NE(other.output.find("another max_new_tokens: 5, now 6"), std::string::npos) << other.output;
  const auto longer = generate(chats(3), "out.jsonl", "--max-new-tokens 5");
  EXPECT_EQ(longer.exit_code, 10);
  EXPECT_NE(longer.output.find("another prompts"), std::string::npos) << longer.output;
  const auto later = generate(chats(2), "out.jsonl", "--max-new-tokens 5 --now '2027-01-01 00:00:00'");
  EXPECT_EQ(later.exit_code, 10);
  EXPECT_NE(later.output.find("another now"), std::string::npos) << later.output;
  EXPECT_EQ(text("out.jsonl"), before);
}

TEST_F(GenerateCommand, AnyRowsWithQuestionsAndBrokenOnesCounted) {
  write_text(
      path("mixed.jsonl"),
      "{\"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}], \"id\": 7, \"tools\": [{\"name\": \"f\"}]}\n"
      "{\"messages\": [{\"role\": \"us\n"
      "{\"messages\": [{\"role\": \"user\", \"content\": \"" +
          std::string(3000, 'x') +
          "\"}]}\n"
          "{\"conversations\": [{\"from\": \"human\", \"value\": \"Hi\"}, {\"from\": \"gpt\", \"value\": \"no\"}]}\n");
  write_text(path("prompts.jsonl"), "{\"prompt\": \"What is the time?\"}\n");
  const auto result = generate(path("mixed.jsonl").string() + " " + path("prompts.jsonl").string(), "out.jsonl",
                               "--max-new-tokens 4 --max-context 200");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  for (const char* words : {"5 rows read, 3 kept, 2 left out", "bad_json", "prompt_too_long", "mixed.jsonl:2",
                            "3 answers in 3 rows", "answers that a limit cut"}) {
    EXPECT_NE(result.output.find(words), std::string::npos) << words << " in " << result.output;
  }
  const std::vector<Json> rows = rows_of(text("out.jsonl"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["id"], "7");
  EXPECT_EQ(rows[0]["tools"][0]["function"]["name"], "f");
  EXPECT_EQ(rows[0]["messages"][1]["finish_reason"], "length");
  EXPECT_EQ(rows[1]["row"], 3);
  EXPECT_EQ(rows[1]["messages"][0]["content"], "Hi");
  EXPECT_EQ(rows[2]["row"], 4);
  EXPECT_EQ(rows[2]["messages"][0]["content"], "What is the time?");
}

TEST_F(GenerateCommand, StandardInputAndPipes) {
  const auto result = test::run_program("sh -c 'head -n 1 " + kChats +
                                        " | dflash generate --stop-token 2044 --stop-token 2046 - --target " + kTarget +
                                        " --output /dev/stdout 2>/dev/null'");
  EXPECT_EQ(result.exit_code, 0);
  const std::vector<Json> rows = rows_of(result.output);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["id"], rows_of(read_text(kChats))[0]["id"]);
}

TEST_F(GenerateCommand, VariablesReachTheTemplate) {
  write_text(path("own.jinja"),
             "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}"
             "{{ '<|im_start|>assistant\\n' + ('<think>\\n' if enable_thinking else '') }}");
  const std::string arguments = "--max-new-tokens 5 --template " + path("own.jinja").string();
  ASSERT_EQ(generate(chats(1), "plain.jsonl", arguments).exit_code, 0);
  ASSERT_EQ(generate(chats(1), "thought.jsonl", arguments + " --template-variable enable_thinking=true").exit_code, 0);
  const auto answer = [&](const char* name) {
    return rows_of(text(name))[0]["messages"][1]["content"].get<std::string>();
  };
  EXPECT_TRUE(answer("thought.jsonl").starts_with("<think>\n")) << answer("thought.jsonl");
  EXPECT_FALSE(answer("plain.jsonl").starts_with("<think>")) << answer("plain.jsonl");
  const auto other = generate(chats(1), "plain.jsonl", arguments + " --template-variable enable_thinking=true");
  EXPECT_NE(other.output.find("another template_variables"), std::string::npos) << other.output;
}

TEST_F(GenerateCommand, AFullDiskIsSaidInWords) {
  fs::create_symlink("/dev/full", path("out.jsonl"));
  const auto result = generate(chats(1), "out.jsonl", "--max-new-tokens 3");
  EXPECT_EQ(result.exit_code, 13) << result.output;
  EXPECT_NE(result.output.find("free some space and start again"), std::string::npos) << result.output;
}

TEST_F(GenerateCommand, MistakesAreToldBeforeAnythingIsWritten) {
  const std::string one = chats(1);
  expect_refused(one, "--top-p 0.9", 10, "--top-p says nothing about greedy answers");
  expect_refused(one, "--temperature 0 --seed 3", 10, "--seed says nothing");
  expect_refused(one, "--sample-as-model", 10, "does not ask for drawing");
  expect_refused(one, "--sample-as-model --temperature 1", 10, "excludes");
  expect_refused(one, "--temperature nan", 10, "no number from 0 to 100");
  expect_refused(one, "--temperature 1 --top-p nan", 10, "no number from");
  expect_refused(one, "--ledger " + one, 10, "would replace");
  expect_refused(one, "--stop-token 2048", 10, "the target has 2048 tokens");
  expect_refused(one, "--template-variable enable_thinking", 10, "expected NAME=JSON");
  expect_refused(one, "--template-variable enable_thinking=no", 10, "the value is not JSON");
  expect_refused(one, "--template-variable enable_thinking=false", 10, "the chat template never reads it");
  expect_refused(one, "--now noon", 10, "'noon' is no time");
  expect_refused(one, "--max-context 5000", 10, "the target has 4096 positions");
  expect_refused(one, "--tokenizer nowhere.json", 11, "nowhere.json");
  expect_refused(path("none.jsonl").string(), "", 11, "none.jsonl");
  write_text(path("text.jsonl"), "{\"text\": \"once\"}\n");
  expect_refused(path("text.jsonl").string(), "", 11, "no turns");
  EXPECT_EQ(generate(one, "no/such/folder.jsonl").exit_code, 12);
}

TEST_F(GenerateCommand, TheModelsOwnSamplingOnRequest) {
  fs::copy(kTarget, path("target"), fs::copy_options::recursive);
  const std::string arguments = chats(2) + " --target " + path("target").string() + " --max-new-tokens 20 ";
  const auto run = [&](const std::string& config, const std::string& output, const std::string& rest) {
    write_text(path("target/generation_config.json"), config);
    return test::run_program("dflash generate " + arguments + rest + " --output " + path(output).string());
  };
  const auto own = run(R"({"do_sample": true, "temperature": 0.6, "top_p": 0.9, "top_k": 20, "eos_token_id": 2046})",
                       "own.jsonl", "--sample-as-model --seed 4");
  ASSERT_EQ(own.exit_code, 0) << own.output;
  EXPECT_NE(own.output.find("temperature 0.6, top-p 0.9, top-k 20, seed 4"), std::string::npos) << own.output;
  ASSERT_EQ(run("{}", "named.jsonl", "--temperature 0.6 --top-p 0.9 --top-k 20 --seed 4").exit_code, 0);
  EXPECT_EQ(text("own.jsonl"), text("named.jsonl"));
  const auto usual = run(R"({"do_sample": true})", "usual.jsonl", "--sample-as-model");
  EXPECT_NE(usual.output.find("temperature 1, top-p 1, top-k 50, seed 0"), std::string::npos) << usual.output;
  EXPECT_EQ(run(R"({"do_sample": true, "top_p": 7})", "bad.jsonl", "--sample-as-model").exit_code, 11);
}

}  // namespace
}  // namespace dflash
