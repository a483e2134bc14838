// Names and shapes of the tensors that a config.json asks for (dflash-semantics 1.4, 2.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/hf/drafter_config.h"
#include "common/hf/model_config.h"

namespace dflash {

struct TensorShape {
  std::string name;
  std::vector<int64_t> shape;
};

/// "[48, 96]".
[[nodiscard]] std::string shape_text(const std::vector<int64_t>& shape);

/// A drafter's own tensors (embedding and head are the target's), sorted by name: the order in its file.
[[nodiscard]] std::vector<TensorShape> drafter_tensor_shapes(const DrafterConfig& config);

/// All tensors of a target but a tied head, sorted by name.
[[nodiscard]] std::vector<TensorShape> target_tensor_shapes(const ModelConfig& config);

/// What one decoder layer has.
struct LayerSizes {
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t num_attention_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  bool qkv_bias = false;
  bool o_bias = false;
  bool mlp_bias = false;
  bool qk_norm = false;
};
[[nodiscard]] LayerSizes layer_sizes(const ModelConfig& config);
[[nodiscard]] LayerSizes layer_sizes(const DrafterConfig& config);

}  // namespace dflash
