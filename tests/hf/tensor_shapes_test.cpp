// The tensors a config.json asks for are those of the golden files.
#include "common/hf/tensor_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "common/hf/model_weights.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

const std::filesystem::path kGolden = test::source_dir() / "tests" / "golden";

using Shapes = std::map<std::string, std::vector<int64_t>>;

Shapes as_map(const std::vector<TensorShape>& tensors) {
  Shapes shapes;
  for (const TensorShape& tensor : tensors) shapes[tensor.name] = tensor.shape;
  EXPECT_EQ(shapes.size(), tensors.size());
  EXPECT_TRUE(std::ranges::is_sorted(tensors, {}, &TensorShape::name));
  return shapes;
}

Shapes stored_in(const std::filesystem::path& folder) {
  ModelWeights weights(folder);
  Shapes shapes;
  for (const std::string& name : weights.names()) shapes[name] = weights.tensor(name).shape;
  return shapes;
}

TEST(TargetTensorShapes, AreThoseOfEveryGoldenTarget) {
  for (const char* name : {"qwen3-fp32", "qwen3-bf16", "qwen3-sharded", "qwen3-packed", "qwen3-yarn", "llama3-rope",
                           "llama-untied", "qwen2", "qwen2-window", "mistral-window"}) {
    const auto folder = kGolden / "target" / name;
    EXPECT_EQ(as_map(target_tensor_shapes(read_model_config(folder))), stored_in(folder)) << name;
  }
}

TEST(DrafterTensorShapes, AreThoseOfEveryGoldenDrafter) {
  for (const char* name : {"01_basic", "02_packed", "03_mixed_sliding", "04_all_sliding", "05_gqa_head_dim", "10_adamw",
                           "11_ranks_accumulation", "12_decode", "14_attention_bias"}) {
    const auto folder = kGolden / "drafter" / name;
    EXPECT_EQ(as_map(drafter_tensor_shapes(read_drafter_config(folder))), stored_in(folder)) << name;
  }
}

TEST(DrafterTensorShapes, AreThoseOfTheGoldenExport) {
  const auto folder = kGolden / "export" / "zlab";
  const Json list = read_json_file(folder / "tensors.json");
  Shapes expected;
  for (const Json& tensor : list["tensors"]) {
    expected[tensor["name"]] = tensor["shape"].get<std::vector<int64_t>>();
  }
  EXPECT_EQ(as_map(drafter_tensor_shapes(read_drafter_config(folder))), expected);
}

TEST(DrafterTensorShapes, AttentionBiasAddsFourTensorsToEachLayer) {
  DrafterConfig config = read_drafter_config(kGolden / "drafter" / "12_decode");
  const size_t plain = drafter_tensor_shapes(config).size();
  config.attention_bias = true;
  const Shapes shapes = as_map(drafter_tensor_shapes(config));
  EXPECT_EQ(shapes.size(), plain + 2 * 4);
  EXPECT_EQ(shapes.at("layers.1.self_attn.q_proj.bias"), std::vector<int64_t>{48});
  EXPECT_EQ(shapes.at("layers.1.self_attn.k_proj.bias"), std::vector<int64_t>{24});
  EXPECT_EQ(shapes.at("layers.1.self_attn.v_proj.bias"), std::vector<int64_t>{24});
  EXPECT_EQ(shapes.at("layers.1.self_attn.o_proj.bias"), std::vector<int64_t>{48});
}

TEST(LayerSizes, ADraftersLayersAreThoseOfQwen3) {
  const LayerSizes plain = layer_sizes(read_drafter_config(kGolden / "drafter" / "12_decode"));
  EXPECT_TRUE(plain.qk_norm);
  EXPECT_FALSE(plain.qkv_bias || plain.o_bias || plain.mlp_bias);
  const LayerSizes biased = layer_sizes(read_drafter_config(kGolden / "drafter" / "14_attention_bias"));
  EXPECT_TRUE(biased.qkv_bias && biased.o_bias);
  EXPECT_FALSE(biased.mlp_bias);
}

}  // namespace
}  // namespace dflash
