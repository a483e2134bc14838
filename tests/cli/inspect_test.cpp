// dflash inspect as a person and a script meet it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "common/base/json.h"
#include "tests/cli/run_shell.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = test::source_dir() / "tests" / "golden";

class Inspect : public testing::Test {
 protected:
  /// A folder with the golden drafter's config.json and weights alone.
  Inspect() {
    for (const char* name : {"config.json", "model.safetensors"}) {
      write_text(drafter() / name, read_text(kGolden / "drafter/12_decode" / name));
    }
  }
  [[nodiscard]] fs::path drafter() const { return folder_.path() / "drafter"; }

  [[nodiscard]] static ShellResult run(const std::string& arguments) {
    return run_shell("timeout 60 '" + (test::programs_dir() / "dflash").string() + "' inspect " + arguments +
                     " 2>&1 </dev/null");
  }
  static std::string model(const std::string& name) { return (kGolden / "target" / name).string(); }

  TempFolder folder_;
};

bool says(const ShellResult& result, const std::string& part) {
  return result.output.find(part) != std::string::npos;
}

TEST_F(Inspect, AModel) {
  const ShellResult result = run("model " + model("qwen3-sharded"));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* line : {"family            qwen3\n", "layers            4, all full\n",
                           "bytes per token   192 (1 layers of 48 float32); 768.0 KiB in a pack of 4096\n"}) {
    EXPECT_TRUE(says(result, line)) << result.output;
  }
}

TEST_F(Inspect, AModelAsJson) {
  const ShellResult result = run("model --json --captured 1 " + model("qwen3-fp32"));
  EXPECT_EQ(result.exit_code, 0);
  const Json json = parse_json(result.output, "output");
  EXPECT_EQ(json["family"], "qwen3");
  EXPECT_EQ(json["captured_layers"], Json::array({2}));
  EXPECT_EQ(json["problems"], Json::array());
}

TEST_F(Inspect, AModelThatIsNotWhole) {
  const fs::path folder = folder_.path() / "model";
  write_text(folder / "config.json", read_text(model("qwen3-fp32") + "/config.json"));
  const ShellResult result = run("model " + folder.string());
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_TRUE(says(result, "family            qwen3\n")) << result.output;
  EXPECT_TRUE(says(result, "PROBLEM           ") && says(result, "no weights here")) << result.output;
}

TEST_F(Inspect, AModelWithTensorsThatItDoesNotNeed) {
  const fs::path folder = folder_.path() / "model";
  Json config = read_json_file(model("qwen3-fp32") + "/config.json");
  config["num_hidden_layers"] = 3;
  write_text(folder / "config.json", config.dump());
  write_text(folder / "model.safetensors", read_text(model("qwen3-fp32") + "/model.safetensors"));
  const ShellResult result = run("model " + folder.string());
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(says(result, "unused tensors    11: model.layers.3.")) << result.output;
}

TEST_F(Inspect, ADrafter) {
  const ShellResult result = run("drafter " + drafter().string());
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const char* line : {"format            z-lab\n", "captured layers   0, 2 (0-based",
                           "pass  block size                          8 in both places\n", "note  float32 weights",
                           " rules passed, 0 failed\n"}) {
    EXPECT_TRUE(says(result, line)) << line << "\n" << result.output;
  }
}

TEST_F(Inspect, ADrafterThatBreaksARule) {
  write_text(drafter() / "pytorch_model.bin", "x");
  const ShellResult result = run("drafter " + drafter().string());
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_TRUE(says(result, "FAIL  no other weight files")) << result.output;
  EXPECT_TRUE(says(result, " rules passed, 1 failed\n")) << result.output;
  const Json json = parse_json(run("drafter --json " + drafter().string()).output, "output");
  EXPECT_EQ(json["failed"], 1);
  size_t failed = 0;
  for (const Json& rule : json["rules"]) failed += rule["state"] == "FAIL" ? 1 : 0;
  EXPECT_EQ(failed, 1u);
}

TEST_F(Inspect, ADrafterOfAnotherTarget) {
  const ShellResult result = run("drafter " + drafter().string() + " --target " + model("qwen3-fp32"));
  EXPECT_EQ(result.exit_code, 11);
  EXPECT_TRUE(says(result, "FAIL  target: vocab_size                  96 here, 160 there")) << result.output;
}

TEST_F(Inspect, MistakesAreOneLine) {
  EXPECT_EQ(run("").exit_code, 10);
  EXPECT_EQ(run("drafter").exit_code, 10);
  const ShellResult missing = run("drafter " + (folder_.path() / "none").string());
  EXPECT_EQ(missing.exit_code, 11);
  EXPECT_EQ(std::count(missing.output.begin(), missing.output.end(), '\n'), 1) << missing.output;
  const ShellResult captured = run("model --captured 9 " + model("qwen3-fp32"));
  EXPECT_EQ(captured.exit_code, 10);
  EXPECT_EQ(captured.output, "dflash: --captured 9: a target of 4 layers allows 1 to 1\n");
}

/// What a file says cannot steer the terminal.
TEST_F(Inspect, ControlCharactersAreNotPrinted) {
  Json config = read_json_file(drafter() / "config.json");
  config["rope_scaling"] = {{"rope_type", "\x1b[2Jevil"}};
  write_text(drafter() / "config.json", config.dump());
  EXPECT_FALSE(says(run("drafter " + drafter().string()), "\x1b"));
}

TEST_F(Inspect, TheOtherKindOfFolderIsNamed) {
  const ShellResult as_model = run("model '" + drafter().string() + "'");
  EXPECT_EQ(as_model.exit_code, 11);
  EXPECT_TRUE(says(as_model, "this is a drafter's folder")) << as_model.output;
  const ShellResult checkpoint = run("drafter '" + folder_.path().string() + "'");
  EXPECT_EQ(checkpoint.exit_code, 11);
  EXPECT_TRUE(says(checkpoint, "its drafter lies in " + drafter().string())) << checkpoint.output;
}

}  // namespace
}  // namespace dflash
