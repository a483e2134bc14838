// The target's forward against golden/target: every hidden state, the final norm and the logits.

#include <gtest/gtest.h>

#include "common/model/target_model.h"
#include "tests/support/golden.h"

namespace dflash {
namespace {

using test::Tensors;

struct Bounds {
  double atol = 0;  // 0: only the rms is bounded (bf16)
  double rel_rms = 0;
};

/// Everything the model computes for one row of ids, under the names of the golden files.
Tensors run_row(const TargetModel& target, const PackedInput& input) {
  Tensors out{{"hidden.embed", target.embed(input.input_ids)}};
  at::Tensor last;
  target.forward_packed(input, [&](int64_t layer, const at::Tensor& hidden) {
    out["hidden.layer" + std::to_string(layer)] = hidden;
    last = hidden;
  });
  out["hidden.final"] = target.final_norm(last);
  out["logits"] = target.logits(last);
  return out;
}

void expect_near(const Tensors& ours, const Tensors& golden, const std::string& prefix, const at::Tensor& rows,
                 int64_t row, const Bounds& bounds) {
  for (const auto& [name, value] : ours) {
    const at::Tensor expected = golden.at(prefix + name)[row].index_select(0, rows);
    const at::Tensor compared = value.index_select(0, rows);
    EXPECT_LE(test::relative_rms(compared, expected), bounds.rel_rms) << name << " row " << row;
    if (bounds.atol == 0) continue;
    EXPECT_LE(test::excess_error(compared, expected), bounds.atol) << name << " row " << row;
  }
}

TargetModel load(const std::string& name, at::ScalarType type) {
  const auto folder = test::golden_folder("target/" + name);
  const ModelConfig config = read_model_config(folder);
  ModelWeights weights(folder);
  return {config, weights, type, config.num_hidden_layers};
}

void check_rows(const std::string& name, at::ScalarType type, const std::string& prefix, const Bounds& bounds) {
  const TargetModel target = load(name, type);
  const Tensors golden = test::golden_tensors("target/" + name, "io.safetensors");
  const at::Tensor& ids = golden.at("input_ids");
  const int32_t length = static_cast<int32_t>(ids.size(1));
  const std::array<int32_t, 2> starts{0, length};
  for (int64_t row = 0; row < ids.size(0); ++row) {
    const Tensors ours = run_row(target, {ids[row], at::arange(length, at::kLong), starts});
    expect_near(ours, golden, prefix, at::arange(length), row, bounds);
  }
}

Bounds fp32_bounds(const Json& tolerance) {
  return {tolerance["atol"].get<double>(), tolerance["rel_rms"].get<double>()};
}

TEST(TargetGolden, Qwen3InFp32) {
  check_rows("qwen3-fp32", at::kFloat, "", fp32_bounds(test::golden_case("target/qwen3-fp32")["tolerance"]));
}

TEST(TargetGolden, Qwen3FromShards) {
  check_rows("qwen3-sharded", at::kFloat, "", fp32_bounds(test::golden_case("target/qwen3-sharded")["tolerance"]));
}

TEST(TargetGolden, Bf16WeightsUpcastToFp32) {
  check_rows("qwen3-bf16", at::kFloat, "fp32.",
             fp32_bounds(test::golden_case("target/qwen3-bf16")["tolerance"]["fp32"]));
}

TEST(TargetGolden, Bf16Compute) {
  const double rel_rms = test::golden_case("target/qwen3-bf16")["tolerance"]["bf16"]["rel_rms"].get<double>();
  check_rows("qwen3-bf16", at::kBFloat16, "", {0, rel_rms});
}

TEST(TargetGolden, PackedDocumentsAttendOnlyWithinThemselves) {
  const TargetModel target = load("qwen3-packed", at::kFloat);
  const Tensors golden = test::golden_tensors("target/qwen3-packed", "io.safetensors");
  const at::Tensor documents = golden.at("document_ids")[0];
  std::vector<int32_t> starts{0};
  for (int64_t row = 1; row < documents.size(0); ++row) {
    if (documents[row].item<int64_t>() != documents[row - 1].item<int64_t>())
      starts.push_back(static_cast<int32_t>(row));
  }
  ASSERT_EQ(starts, (std::vector<int32_t>{0, 9, 25, 36}));  // 9, 16 and 11 tokens, then padding
  const Tensors ours = run_row(target, {golden.at("input_ids")[0], golden.at("position_ids")[0], starts});
  expect_near(ours, golden, "", at::arange(36), 0, fp32_bounds(test::golden_case("target/qwen3-packed")["tolerance"]));
  for (const auto& [name, value] : ours) EXPECT_TRUE(value.isfinite().all().item<bool>()) << name << " on padding";
}

TEST(TargetGolden, StopsAfterTheDeepestLayerAsked) {
  const auto folder = test::golden_folder("target/qwen3-fp32");
  ModelWeights weights(folder);
  const TargetModel target(read_model_config(folder), weights, at::kFloat, 2);
  const Tensors golden = test::golden_tensors("target/qwen3-fp32", "io.safetensors");
  const std::array<int32_t, 2> starts{0, 28};
  std::vector<int64_t> visited;
  target.forward_packed(
      {golden.at("input_ids")[0], at::arange(28, at::kLong), starts}, [&](int64_t layer, const at::Tensor& hidden) {
        visited.push_back(layer);
        EXPECT_LE(test::relative_rms(hidden, golden.at("hidden.layer" + std::to_string(layer))[0]), 1e-5);
      });
  EXPECT_EQ(visited, (std::vector<int64_t>{0, 1}));
}

}  // namespace
}  // namespace dflash
