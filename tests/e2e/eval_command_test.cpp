// dflash eval on the files of golden/drafter/12_decode: the traces, the JSON, the checks of its input.

#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

const std::string kDrafter = (test::source_dir() / "tests/golden/drafter/12_decode").string();

class EvalCommand : public ::testing::Test {
 protected:
  test::ProgramResult eval(const std::string& arguments, const std::string& drafter = kDrafter) {
    return test::run_program(format("dflash eval --target {} --drafter {} --prompts {} {}", test::TinyRun::target(),
                                    drafter, (folder_.path() / "prompts.jsonl").string(), arguments));
  }
  void write_prompt(const Json& ids, const std::string& kind) {
    write_text(folder_.path() / "prompts.jsonl", Json{{"prompt_ids", ids}, {"kind", kind}}.dump() + "\n");
  }
  TempFolder folder_;
};

TEST_F(EvalCommand, TracesEqualTheGoldenOnes) {
  const Json runs = read_json_file(kDrafter + "/trace.json");
  for (const Json& run : runs) {
    write_prompt(run["prompt"], "golden");
    std::string arguments = format("--max-new-tokens {} --block-size {} --trace {}", run["max_new_tokens"].get<int>(),
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
  const auto result = eval("--max-new-tokens 40 --json");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json json = parse_json(result.output, "output");
  EXPECT_DOUBLE_EQ(json["acceptance_length"].get<double>(), 39.0 / 18.0);  // trace.json, run 0
  EXPECT_EQ(json["target_passes"], 18);
  EXPECT_EQ(json["accepted_tokens"], 39 - 18);
  EXPECT_EQ(json["lossless"], true);
  EXPECT_EQ(json["by_kind"]["numbers"]["prompts"], 1);
  EXPECT_EQ(json["histogram"], (Json{7, 5, 3, 2, 1, 0, 0, 0}));
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
