// dflash dump: what it writes for the inputs of golden/target and golden/drafter is what stands there; bad input gets
// one line.

#include <gtest/gtest.h>

#include <set>

#include "common/base/format.h"
#include "common/hf/drafter_config.h"
#include "tests/support/golden.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using test::Tensors;

class DumpCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string output() const { return (folder_.path() / "out.safetensors").string(); }
  [[nodiscard]] std::string input() const { return (folder_.path() / "in.safetensors").string(); }

  test::ProgramResult dump_target(const std::string& name, const std::string& file, const std::string& more = "") {
    return test::run_program(format("dflash dump target --target {} --input {} --output {} {}",
                                    test::golden_folder("target/" + name).string(), file, output(), more));
  }
  test::ProgramResult dump_drafter(const std::string& name, const std::string& file, const std::string& more = "") {
    const auto folder = test::golden_folder("drafter/" + name);
    return test::run_program(format("dflash dump drafter --drafter {} --frozen {} --input {} --output {} {}",
                                    folder.string(), (folder / "frozen.safetensors").string(), file, output(), more));
  }
  /// The golden inputs of a target case with one of them exchanged.
  void write_input(const std::string& file, const std::string& name, const at::Tensor& tensor) {
    Tensors tensors = read_tensor_file(file);
    tensors[name] = tensor;
    write_tensor_file(input(), tensors);
  }
  void expect_refused(const test::ProgramResult& result, const std::string& complaint) {
    EXPECT_EQ(result.exit_code, 11) << result.output;
    EXPECT_NE(result.output.find(complaint), std::string::npos) << result.output;
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
    EXPECT_FALSE(std::filesystem::exists(output()));
  }
  TempFolder folder_;
};

std::string golden_file(const std::string& name, const char* file) {
  return (test::golden_folder(name) / file).string();
}

bool is_result(const std::string& name) {
  return name.starts_with("hidden.") || name == "logits";
}

/// Every result of a golden target case, where its mask is 1.
void expect_target(const Tensors& ours, const Tensors& golden, const Json& tolerance, bool padding_is_zero) {
  const double atol = tolerance["atol"].get<double>(), rel_rms = tolerance["rel_rms"].get<double>();
  at::Tensor real = at::ones_like(golden.at("input_ids"), at::kBool);
  if (golden.contains("attention_mask")) real = golden.at("attention_mask").ne(0);
  for (const auto& [name, expected] : golden) {
    if (!is_result(name)) continue;
    ASSERT_TRUE(ours.contains(name)) << name;
    const at::Tensor& value = ours.at(name);
    ASSERT_EQ(value.sizes(), expected.sizes()) << name;
    ASSERT_EQ(value.scalar_type(), expected.scalar_type()) << name;
    const at::Tensor rows = padding_is_zero ? at::ones_like(real) : real;
    EXPECT_LE(test::excess_error(value.index({rows}), expected.index({rows})), atol) << name;
    EXPECT_LE(test::relative_rms(value.index({real}), expected.index({real})), rel_rms) << name;
  }
}

TEST_F(DumpCommand, TargetsEqualTheGoldenFiles) {
  for (const char* name : {"qwen3-fp32", "qwen3-sharded", "qwen3-packed", "qwen3-yarn", "qwen2", "qwen2-window",
                           "llama3-rope", "llama-untied", "mistral-window"}) {
    for (const char* file : {"io.safetensors", "io_packed.safetensors"}) {
      const std::string path = golden_file(std::string("target/") + name, file);
      if (!std::filesystem::exists(path)) continue;
      const auto result = dump_target(name, path);
      ASSERT_EQ(result.exit_code, 0) << name << ": " << result.output;
      const Tensors golden = read_tensor_file(path);
      expect_target(read_tensor_file(output()), golden, test::golden_case(std::string("target/") + name)["tolerance"],
                    golden.contains("document_ids"));
    }
  }
}

TEST_F(DumpCommand, ATargetInBfloat16) {
  const std::string path = golden_file("target/qwen3-bf16", "io.safetensors");
  ASSERT_EQ(dump_target("qwen3-bf16", path, "--dtype bfloat16").exit_code, 0);
  const Tensors ours = read_tensor_file(output()), golden = read_tensor_file(path);
  const double bound = test::golden_case("target/qwen3-bf16")["tolerance"]["bf16"]["rel_rms"].get<double>();
  for (const auto& [name, expected] : golden) {
    if (!is_result(name)) continue;
    ASSERT_TRUE(ours.contains(name)) << name;
    EXPECT_EQ(ours.at(name).scalar_type(), expected.scalar_type()) << name;
    EXPECT_LE(test::relative_rms(ours.at(name), expected), bound) << name;
  }
}

TEST_F(DumpCommand, PaddingOnEitherSideLeavesTheOthersAlone) {
  const std::string path = golden_file("target/mistral-window", "io.safetensors");
  ASSERT_EQ(dump_target("mistral-window", path).exit_code, 0);
  const at::Tensor whole = read_tensor_file(output()).at("logits");
  const at::Tensor ids = read_tensor_file(path).at("input_ids");
  const int64_t rows = ids.size(0), length = ids.size(1);
  const at::Tensor pad = at::zeros({rows, 3}, at::kLong), ones = at::ones_like(ids);
  const at::Tensor positions = at::arange(length, at::kLong).expand({rows, length});
  write_tensor_file(input(), {{"input_ids", at::cat({pad, ids}, 1)},
                              {"attention_mask", at::cat({pad, ones}, 1)},
                              {"position_ids", at::cat({pad, positions}, 1)}});
  ASSERT_EQ(dump_target("mistral-window", input()).exit_code, 0);
  const at::Tensor padded = read_tensor_file(output()).at("logits");
  EXPECT_LE(test::relative_rms(padded.narrow(1, 3, length), whole), 1e-6);
  EXPECT_EQ(padded.narrow(1, 0, 3).abs().max().item<double>(), 0);
}

TEST_F(DumpCommand, BadTargetInputIsNamed) {
  const std::string path = golden_file("target/qwen3-packed", "io.safetensors");
  const at::Tensor ids = read_tensor_file(path).at("input_ids");
  write_input(path, "input_ids", ids + 160);
  expect_refused(dump_target("qwen3-packed", input()), "tensor 'input_ids' holds");
  write_input(path, "attention_mask", at::ones({1, 3}, at::kLong));
  expect_refused(dump_target("qwen3-packed", input()), "'attention_mask' has shape [1, 3], expected [1, 40]");
  at::Tensor hole = at::ones({1, 40}, at::kLong);
  hole[0][5] = 0;
  write_input(path, "attention_mask", hole);
  expect_refused(dump_target("qwen3-packed", input()), "has a hole: position 6");
  write_input(path, "input_ids", ids.to(at::kFloat));
  expect_refused(dump_target("qwen3-packed", input()), "'input_ids' holds fractions");
  write_tensor_file(input(), {{"ids", ids}});
  expect_refused(dump_target("qwen3-packed", input()), "there is no tensor 'input_ids'");
  expect_refused(dump_target("qwen3-packed", "/nowhere.safetensors"), "/nowhere.safetensors");
}

/// Everything of the drafter's table, those of unused slots too.
void expect_drafter(const Tensors& ours, const Tensors& golden, const Json& tolerance) {
  for (const char* name : {"eligible", "block_ids", "block_position_ids", "labels", "supervised", "correct_per_slot",
                           "total_per_slot", "accept_len_sum", "accept_len_count"}) {
    EXPECT_EQ(ours.at(name).scalar_type(), golden.at(name).scalar_type()) << name;
    EXPECT_TRUE(ours.at(name).equal(golden.at(name))) << name;
  }
  const std::set<std::string> numbers{"fc_out", "block_hidden", "logits",     "weights",
                                      "loss",   "loss_sum",     "weight_sum", "mean_loss"};
  for (const auto& [name, expected] : golden) {
    if (!numbers.contains(name) && !name.starts_with("grad.")) continue;
    ASSERT_TRUE(ours.contains(name)) << name;
    ASSERT_EQ(ours.at(name).sizes(), expected.sizes()) << name;
    const std::string kind = name.starts_with("grad.") ? "grad" : name;
    const double bound = tolerance.contains(kind) ? tolerance[kind].get<double>() : 1e-5;
    EXPECT_LE(test::error_relative_to_max(ours.at(name), expected), bound) << name;
  }
}

TEST_F(DumpCommand, DraftersEqualTheGoldenFiles) {
  for (const std::string name :
       {"01_basic", "02_packed", "03_mixed_sliding", "04_all_sliding", "05_gqa_head_dim", "14_attention_bias"}) {
    const std::string path = golden_file("drafter/" + name, "io.safetensors");
    const Json description = test::golden_case("drafter/" + name);
    const auto result = dump_drafter(name, path, format("--decay-gamma {}", description["gamma"].get<double>()));
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.output;
    const Tensors ours = read_tensor_file(output()), golden = read_tensor_file(path);
    expect_drafter(ours, golden, description["tolerance_rel_to_max"]);
    EXPECT_TRUE(golden.contains("grad.layers.0.mlp.up_proj.weight")) << name;
  }
}

TEST_F(DumpCommand, SlotsKeepTheirOrder) {
  const std::string path = golden_file("drafter/02_packed", "io.safetensors");
  ASSERT_EQ(dump_drafter("02_packed", path).exit_code, 0);
  const Tensors straight = read_tensor_file(output()), golden = read_tensor_file(path);
  Tensors turned = golden;
  turned["anchors"] = golden.at("anchors").flip(0).contiguous();
  turned["anchor_keep"] = golden.at("anchor_keep").flip(0).contiguous();
  write_tensor_file(input(), turned);
  ASSERT_EQ(dump_drafter("02_packed", input()).exit_code, 0);
  const Tensors ours = read_tensor_file(output());
  for (const char* name : {"block_ids", "labels", "block_hidden", "loss"}) {
    EXPECT_TRUE(ours.at(name).flip(0).allclose(straight.at(name))) << name;
  }
  EXPECT_TRUE(ours.at("grad.fc.weight").allclose(straight.at("grad.fc.weight"), 1e-4, 1e-6));
}

TEST_F(DumpCommand, WithoutSupervisedPositionsAllGradientsAreZero) {
  const std::string path = golden_file("drafter/01_basic", "io.safetensors");
  write_input(path, "loss_mask", at::zeros_like(read_tensor_file(path).at("loss_mask")));
  const auto result = dump_drafter("01_basic", input());
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Tensors ours = read_tensor_file(output());
  EXPECT_EQ(ours.at("mean_loss").item<double>(), 0);
  EXPECT_EQ(ours.at("weight_sum").item<double>(), 0);
  EXPECT_EQ(ours.at("grad.fc.weight").abs().max().item<double>(), 0);
  EXPECT_EQ(ours.at("eligible").sum().item<int64_t>(), 0);
}

TEST_F(DumpCommand, WeightsThatVanishGiveNoGradients) {
  const std::string path = golden_file("drafter/01_basic", "io.safetensors");
  const Tensors golden = read_tensor_file(path);
  const int64_t anchor = golden.at("anchors")[0].item<int64_t>();
  at::Tensor mask = at::zeros_like(golden.at("loss_mask"));
  mask[anchor + 2] = 1;  // position 2 of the block alone: it weighs exp(-1/gamma)
  Tensors inputs = golden;
  inputs["loss_mask"] = mask;
  inputs["anchors"] = at::full({1}, anchor, at::kLong);
  inputs["anchor_keep"] = at::ones({1}, at::kByte);
  write_tensor_file(input(), inputs);
  ASSERT_EQ(dump_drafter("01_basic", input(), "--decay-gamma 0.001").exit_code, 0);
  const Tensors ours = read_tensor_file(output());
  EXPECT_EQ(ours.at("total_per_slot").sum().item<int64_t>(), 1);
  EXPECT_EQ(ours.at("mean_loss").item<double>(), 0);
  EXPECT_EQ(ours.at("grad.fc.weight").abs().max().item<double>(), 0);
}

TEST_F(DumpCommand, BadDrafterInputIsNamed) {
  const std::string path = golden_file("drafter/02_packed", "io.safetensors");
  const at::Tensor anchors = read_tensor_file(path).at("anchors");
  write_input(path, "anchors", anchors + 40);
  expect_refused(dump_drafter("02_packed", input()), "'anchors' holds");
  write_input(path, "anchors", at::full_like(anchors, 63));  // the row's padding tail
  expect_refused(dump_drafter("02_packed", input()), "'anchors' stands on padding in slot 0, at row 63");
  write_input(path, "hidden_states", at::zeros({64, 5}));
  expect_refused(dump_drafter("02_packed", input()), "'hidden_states' has shape [64, 5], expected [64, 128]");
  write_input(path, "hidden_states", at::full({64, 128}, NAN));
  expect_refused(dump_drafter("02_packed", input()), "'hidden_states' holds numbers that are not finite");
  at::Tensor documents = at::zeros({64}, at::kLong);
  documents.narrow(0, 10, 4).fill_(1);
  write_input(path, "document_ids", documents);
  expect_refused(dump_drafter("02_packed", input()), "'document_ids' has a hole: position 14");
  EXPECT_EQ(dump_drafter("02_packed", path, "--decay-gamma nan").exit_code, 10);
  expect_refused(dump_drafter("03_mixed_sliding", golden_file("drafter/01_basic", "io.safetensors")), "hidden_states");
}

TEST_F(DumpCommand, AnOutputThatCannotBeWrittenIsRefusedFirst) {
  const std::string path = golden_file("target/qwen2", "io.safetensors");
  const auto result =
      test::run_program(format("dflash dump target --target {} --input {} --output {}/none/out",
                               test::golden_folder("target/qwen2").string(), path, folder_.path().string()));
  EXPECT_EQ(result.exit_code, 10) << result.output;
  EXPECT_NE(result.output.find("/none/out': expected a file in a folder"), std::string::npos) << result.output;
  std::filesystem::create_symlink(path, output());  // a rename would put a file in the place of a link, or of a device
  EXPECT_EQ(dump_target("qwen2", path).exit_code, 10);
  EXPECT_TRUE(std::filesystem::is_symlink(output()));
}

TEST_F(DumpCommand, HelpAndMistakesOfTheCommandLine) {
  const auto help = test::run_program("dflash dump target --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.output.find("attention_mask"), std::string::npos) << help.output;
  EXPECT_EQ(test::run_program("dflash dump").exit_code, 10);
  EXPECT_EQ(test::run_program("dflash dump target --target x").exit_code, 10);
}

}  // namespace
}  // namespace dflash
