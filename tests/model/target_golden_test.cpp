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

/// First row of every document of a golden row, and the end of the last one. Padding is a document of its own: rows of
/// it are not compared.
std::vector<int32_t> document_starts(const Tensors& golden, int64_t row) {
  const auto found = golden.contains("document_ids") ? golden.find("document_ids") : golden.find("attention_mask");
  const auto length = static_cast<int32_t>(golden.at("input_ids").size(1));
  std::vector<int32_t> starts{0};
  for (int32_t t = 1; found != golden.end() && t < length; ++t) {
    if (!found->second[row][t].equal(found->second[row][t - 1])) starts.push_back(t);
  }
  starts.push_back(length);
  return starts;
}

void check_rows(const std::string& name, at::ScalarType type, const std::string& prefix, const Bounds& bounds,
                const std::string& file = "io.safetensors") {
  const TargetModel target = load(name, type);
  const Tensors golden = test::golden_tensors("target/" + name, file);
  const at::Tensor& ids = golden.at("input_ids");
  for (int64_t row = 0; row < ids.size(0); ++row) {
    at::Tensor positions = at::arange(ids.size(1), at::kLong), compared = positions;
    if (golden.contains("position_ids")) positions = golden.at("position_ids")[row];
    if (golden.contains("attention_mask")) compared = golden.at("attention_mask")[row].nonzero().squeeze(-1);
    const Tensors ours = run_row(target, {ids[row], positions, document_starts(golden, row)});
    expect_near(ours, golden, prefix, compared, row, bounds);
    for (const auto& [what, value] : ours) EXPECT_TRUE(value.isfinite().all().item<bool>()) << what << " on padding";
  }
}

Bounds fp32_bounds(const Json& tolerance) {
  return {tolerance["atol"].get<double>(), tolerance["rel_rms"].get<double>()};
}

class TargetGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TargetGolden, EveryHiddenStateAndTheLogitsInFp32) {
  const std::string name = GetParam();
  const Bounds bounds = fp32_bounds(test::golden_case("target/" + name)["tolerance"]);
  check_rows(name, at::kFloat, "", bounds);
  if (std::filesystem::exists(test::golden_folder("target/" + name) / "io_packed.safetensors")) {
    check_rows(name, at::kFloat, "", bounds, "io_packed.safetensors");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TargetGolden,
                         ::testing::Values("qwen3-fp32", "qwen3-sharded", "qwen3-packed", "qwen3-yarn", "qwen2",
                                           "qwen2-window", "llama3-rope", "llama-untied", "mistral-window"),
                         [](const auto& test_case) {
                           std::string name = test_case.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(TargetModel, Bf16WeightsUpcastToFp32) {
  check_rows("qwen3-bf16", at::kFloat, "fp32.",
             fp32_bounds(test::golden_case("target/qwen3-bf16")["tolerance"]["fp32"]));
}

TEST(TargetModel, Bf16Compute) {
  const double rel_rms = test::golden_case("target/qwen3-bf16")["tolerance"]["bf16"]["rel_rms"].get<double>();
  check_rows("qwen3-bf16", at::kBFloat16, "", {0, rel_rms});
}

TEST(TargetModel, StopsAfterTheDeepestLayerAsked) {
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
