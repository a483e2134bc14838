// dflash eval on the files of golden/drafter/12_decode: the traces, the JSON, raw prompts and several files, the texts
// that are shown, the checks of its input.

#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

const std::string kDrafter = (test::source_dir() / "tests/golden/drafter/12_decode").string();

class EvalCommand : public ::testing::Test {
 protected:
  test::ProgramResult eval(const std::string& arguments, const std::string& drafter = kDrafter) {
    return eval_files("prompts.jsonl", arguments, drafter);
  }
  /// `words` name files of the folder.
  test::ProgramResult eval_files(const std::string& words, const std::string& arguments,
                                 const std::string& drafter = kDrafter) {
    return test::run_program(format("sh -c 'cd {} && dflash eval --target {} --drafter {} --prompts {} {}'",
                                    folder_.path().string(), test::TinyRun::target(), drafter, words, arguments));
  }
  void write_prompt(const Json& ids, const std::string& kind) {
    write_text(folder_.path() / "prompts.jsonl", Json{{"prompt_ids", ids}, {"kind", kind}}.dump() + "\n");
  }
  /// Tokens t0 to t95, and a template that writes the messages one behind the other.
  std::string own_text_files() {
    Json vocabulary = Json::object();
    for (int id = 0; id < 96; ++id) vocabulary[format("t{}", id)] = id;
    write_text(folder_.path() / "own.json",
               Json{{"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "t0"}}},
                    {"pre_tokenizer", {{"type", "WhitespaceSplit"}}}}
                   .dump());
    write_text(folder_.path() / "own.jinja", "{% for m in messages %}{{ m.content }} {% endfor %}");
    return "--tokenizer own.json --template own.jinja --max-new-tokens 40 --threads 1 ";  // the cores are others'
  }
  void write_row(const std::string& file, const Json& row) { write_text(folder_.path() / file, row.dump() + "\n"); }
  TempFolder folder_;
};

const Json kGoldenPrompt{31, 6, 64, 3, 84, 0, 28};  // trace.json, run 0
constexpr const char* kGoldenText = "t31 t6 t64 t3 t84 t0 t28";

/// What --show prints of golden run 0 without colours.
std::string shown_golden_run() {
  const Json run = read_json_file(kDrafter + "/trace.json")[0];
  std::string text = format("{}¦ t{}", kGoldenText, run["output_ids"][kGoldenPrompt.size()].get<int>());
  for (const Json& step : run["steps"]) {
    std::string accepted, own;
    for (size_t i = 0; i < step["committed"].size(); ++i) {
      (i < step["accepted"].get<size_t>() ? accepted : own) += format(" t{}", step["committed"][i].get<int>());
    }
    text += (accepted.empty() ? "" : "⟦" + accepted + "⟧") + own;
  }
  return text + "\n";
}

TEST_F(EvalCommand, TracesEqualTheGoldenOnes) {
  const Json runs = read_json_file(kDrafter + "/trace.json");
  for (const Json& run : runs) {
    write_prompt(run["prompt"], "golden");
    std::string arguments =
        format("--threads 1 --max-new-tokens {} --block-size {} --trace {}", run["max_new_tokens"].get<int>(),
               run["block_size"].get<int>(), (folder_.path() / "trace.json").string());
    for (const Json& id : run["stop_token_ids"]) arguments += " --stop-token " + id.dump();
    const auto result = eval(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const Json trace = read_json_file(folder_.path() / "trace.json");
    ASSERT_EQ(trace.size(), 1U);
    EXPECT_EQ(trace[0]["steps"], run["steps"]);
    EXPECT_EQ(trace[0]["output_ids"], run["output_ids"]);
  }
}

TEST_F(EvalCommand, JsonIsAllThatJsonPrints) {
  write_prompt({31, 6, 64, 3, 84, 0, 28}, "numbers");
  const auto result = eval("--threads 1 --max-new-tokens 40 --json");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json json = parse_json(result.output, "output");
  EXPECT_DOUBLE_EQ(json["acceptance_length"].get<double>(), 39.0 / 18.0);  // trace.json, run 0
  EXPECT_EQ(json["target_passes"], 18);
  EXPECT_EQ(json["accepted_tokens"], 39 - 18);
  EXPECT_EQ(json["lossless"], true);
  EXPECT_EQ(json["by_kind"]["numbers"]["prompts"], 1);
  EXPECT_EQ(json["histogram"], (Json{7, 5, 3, 2, 1, 0, 0, 0}));
}

TEST_F(EvalCommand, RawPromptsGiveTheSameAsTheirTokens) {
  const std::string files = own_text_files();
  write_row("a.jsonl", {{"prompt", kGoldenText}, {"kind", "numbers"}});
  write_row("b1.jsonl", {{"prompt_ids", kGoldenPrompt}});
  write_row("b2.jsonl", {{"messages", {{{"role", "user"}, {"content", kGoldenText}}}}});
  const auto result = eval_files("a.jsonl \"b?.jsonl\"", files + "--json");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json json = parse_json(result.output, "output");
  ASSERT_EQ(json["files"].size(), 3U);
  for (const Json& file : json["files"]) {
    EXPECT_DOUBLE_EQ(file["acceptance_length"].get<double>(), 39.0 / 18.0) << file;
    EXPECT_EQ(file["histogram"], (Json{7, 5, 3, 2, 1, 0, 0, 0}));
  }
  EXPECT_EQ(json["files"][1]["path"], "b1.jsonl");
  EXPECT_EQ(json["files"][0]["by_kind"]["numbers"]["prompts"], 1);
  EXPECT_EQ(json["target_passes"], 3 * 18);
}

TEST_F(EvalCommand, FilesAreSaidAloudAndHaveTables) {
  const std::string files = own_text_files();
  write_row("a.jsonl", {{"prompt", kGoldenText}, {"kind", "numbers"}});
  write_row("b.jsonl", {{"prompt_ids", kGoldenPrompt}});
  const auto result = eval_files("a.jsonl b.jsonl", files);
  ASSERT_EQ(result.exit_code, 0) << result.output;
  for (const char* part :
       {"a.jsonl: rows are read as prompt_response", "b.jsonl: rows are read as token_ids",
        "\na.jsonl\nkind              prompts     passes   accepted   length\nnumbers ",
        "\nb.jsonl\nkind              prompts     passes   accepted   length\nin all                  1 ",
        "\n2 files\n", "lossless: every text"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << " in:\n" << result.output;
  }
}

TEST_F(EvalCommand, QuestionsAreAskedBehindTheAnswersBeforeThem) {
  const std::string files = own_text_files();
  write_row("a.jsonl",
            {{"messages", {{{"role", "user"}, {"content", kGoldenText}}, {{"role", "user"}, {"content", "t5 t6"}}}}});
  const auto result = eval_files("a.jsonl", files + "--trace trace.json");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json trace = read_json_file(folder_.path() / "trace.json");
  ASSERT_EQ(trace.size(), 2U);
  Json second = read_json_file(kDrafter + "/trace.json")[0]["output_ids"];
  EXPECT_EQ(trace[0]["output_ids"], second);
  second.push_back(5);
  second.push_back(6);
  EXPECT_EQ(trace[1]["prompt"], second);
}

TEST_F(EvalCommand, ShowsAcceptedTokens) {
  const std::string files = own_text_files();
  write_row("a.jsonl", {{"prompt_ids", kGoldenPrompt}, {"id", "one"}});
  const auto plain = eval_files("a.jsonl", files + "--show 5");
  ASSERT_EQ(plain.exit_code, 0) << plain.output;
  const std::string heading = "--- a.jsonl:1 one (all): 40 new tokens, 18 target passes, acceptance length 2.167\n";
  EXPECT_NE(plain.output.find(heading + shown_golden_run()), std::string::npos) << plain.output << shown_golden_run();
  EXPECT_EQ(plain.output.find('\033'), std::string::npos);
  const auto coloured = eval_files("a.jsonl", files + "--show 1 --color always");
  EXPECT_NE(coloured.output.find(format("\033[2m{}\033[0m", kGoldenText)), std::string::npos) << coloured.output;
  EXPECT_NE(coloured.output.find("\033[32m t"), std::string::npos) << coloured.output;
}

TEST_F(EvalCommand, TakesPartOfAFileAndVariablesOfTheTemplate) {
  const std::string files = own_text_files();
  write_text(folder_.path() / "own.jinja", "{{ lead }} {{ messages[0].content }}");
  write_text(folder_.path() / "a.jsonl", "{\"prompt\":\"t6 t64 t3 t84 t0 t28\"}\nbroken\n");
  const auto result = eval_files("a.jsonl", files + "--max-prompts 1 --template-variable lead=\\\"t31\\\" --json");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(parse_json(result.output, "output")["target_passes"], 18);
  write_text(folder_.path() / "own.jinja", "t{{ strftime_now(\"%d\") }} {{ messages[0].content }}");
  const auto dated = eval_files("a.jsonl", files + "--max-prompts 1 --now \"2024-12-31 00:00:00\" --json");
  ASSERT_EQ(dated.exit_code, 0) << dated.output;
  EXPECT_EQ(parse_json(dated.output, "output")["target_passes"], 18) << "t31 again";
}

TEST_F(EvalCommand, SaysWhatRawPromptsLack) {
  write_row("a.jsonl", {{"prompt", kGoldenText}});
  const auto no_tokenizer = eval_files("a.jsonl", "");
  EXPECT_EQ(no_tokenizer.exit_code, 11);
  EXPECT_NE(no_tokenizer.output.find("there is no tokenizer.json"), std::string::npos) << no_tokenizer.output;
  const std::string files = own_text_files();
  write_text(folder_.path() / "own.jinja", "{{ raise_exception(\"no\") }}");
  const auto refused = eval_files("a.jsonl", files);
  EXPECT_EQ(refused.exit_code, 11);
  EXPECT_NE(refused.output.find("a.jsonl:1: template_error"), std::string::npos) << refused.output;
  EXPECT_EQ(eval_files("a.jsonl", files + "--format rubbish").exit_code, 10);
  EXPECT_EQ(eval_files("a.jsonl", files + "--template-variable lead").exit_code, 10);
  const auto unread = eval_files("a.jsonl", files + "--template-variable lead=1");
  EXPECT_EQ(unread.exit_code, 10);
  EXPECT_NE(unread.output.find("the chat template never reads it"), std::string::npos) << unread.output;
  EXPECT_EQ(eval_files("a.jsonl", files + "--now noon").exit_code, 10);
  EXPECT_EQ(eval_files("a.jsonl", files + "--show 1 --json").exit_code, 10);
  EXPECT_EQ(eval_files("absent.jsonl", files).exit_code, 11);
  write_row("a.jsonl", {{"prompt_ids", kGoldenPrompt}});
  EXPECT_EQ(eval_files("a.jsonl", "--show 1").exit_code, 11);
}

TEST_F(EvalCommand, OtherFilesInTheDrafterFolderAreIgnored) {
  write_prompt({31, 6, 64}, "a");
  std::filesystem::copy(kDrafter, folder_.path() / "drafter", std::filesystem::copy_options::recursive);
  write_text(folder_.path() / "drafter/rubbish.safetensors", "rubbish");
  EXPECT_EQ(eval("--max-new-tokens 5", (folder_.path() / "drafter").string()).exit_code, 0);
}

TEST_F(EvalCommand, SaysWhatIsWrong) {
  write_prompt({31, 96}, "a");
  const auto outside = eval("");
  EXPECT_EQ(outside.exit_code, 11) << outside.output;
  EXPECT_NE(outside.output.find("token id 96"), std::string::npos) << outside.output;
  write_prompt({31}, "a");
  EXPECT_EQ(eval("--block-size 9").exit_code, 10);
  EXPECT_EQ(eval("--no-such-option").exit_code, 10);
  EXPECT_EQ(eval("", folder_.path().string()).exit_code, 11);
}

}  // namespace
}  // namespace dflash
