// config.json of a target: sizes and rules of its decoder, old and new spellings. What is not known is refused by name.
//
// Facts: dflash-semantics 1.1-1.3 and the table "Config keys that changed" of golden/target.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/dtype.h"
#include "common/base/json.h"
#include "common/hf/layer_types.h"
#include "common/hf/rope_config.h"

namespace dflash {

/// A dense decoder: pre-norm layers of attention and gated MLP. Its family (families/) says what the layers have.
struct ModelConfig {
  std::string model_type;  // "qwen3", "llama", ...
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t num_hidden_layers = 0;
  int64_t num_attention_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  int64_t max_position_embeddings = 0;
  double rms_norm_eps = 0;
  RopeConfig rope;
  bool qkv_bias = false;
  bool o_bias = false;
  bool mlp_bias = false;               // on gate, up and down
  bool qk_norm = false;                // RMSNorm over each head of q and k, before rotation
  std::vector<LayerType> layer_types;  // one for each layer
  int64_t sliding_window = 0;          // rows that a sliding layer sees, its own included
  bool tie_word_embeddings = false;
  DType dtype = DType::f32;  // of the stored weights: f32, bf16 or f16
  std::optional<int64_t> bos_token_id;
  std::vector<int64_t> eos_token_ids;  // of config.json alone; int or list there
  std::optional<int64_t> pad_token_id;
};

/// Reads folder/config.json. Error{input_file} naming the key: missing, wrong type, or something this version does not
/// compute (model_type, rope type, kind of layer, activation, quantisation, ...).
[[nodiscard]] ModelConfig read_model_config(const std::filesystem::path& folder);
[[nodiscard]] ModelConfig parse_model_config(const Json& json, const std::string& source);

/// Stop tokens: eos of config.json joined with those of generation_config.json where there is one; ascending.
[[nodiscard]] std::vector<int64_t> read_stop_tokens(const std::filesystem::path& folder, const ModelConfig& config);

}  // namespace dflash
