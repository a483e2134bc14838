// config.json of a drafter, z-lab layout: what z-lab's package, vLLM and SGLang read (golden/export/README.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/hf/layer_types.h"
#include "common/hf/model_config.h"
#include "common/hf/rope_config.h"

namespace dflash {

struct DrafterConfig {
  int64_t block_size = 0;
  int64_t mask_token_id = 0;
  std::vector<int64_t> target_layer_ids;  // 0-based, the *output* of that target layer; ascending
  int64_t num_target_layers = 0;
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
  bool attention_bias = false;         // on q, k, v and o
  std::vector<LayerType> layer_types;  // one for each layer
  int64_t sliding_window = 0;          // rows that a sliding layer sees, at least block_size
  std::optional<bool> is_causal;       // the rule inside the block for all layers; nothing: sliding layers are causal,
                                       // full ones see all of the block
  DType dtype = DType::f32;
  std::optional<int64_t> bos_token_id;
  std::vector<int64_t> eos_token_ids;  // written as one number when there is one, null when none
  std::optional<int64_t> pad_token_id;
};

/// Whether a position of a block sees only the earlier ones of its block in this layer (dflash-semantics-2, 1.1).
[[nodiscard]] bool is_causal_in_block(const DrafterConfig& config, LayerType type);

/// Reads folder/config.json; every vintage of key placement (block_size, ids and mask token at top level or inside
/// dflash_config; rope_theta flat or in rope_parameters). Error{input_file} naming the key for what is missing, out of
/// range, or switches on another network (projector_type, conv_*, ...).
[[nodiscard]] DrafterConfig read_drafter_config(const std::filesystem::path& folder);
[[nodiscard]] DrafterConfig parse_drafter_config(const Json& json, const std::string& source);

/// The config.json, keys and values in the form of golden/export/zlab. The causality keys are written where all layers
/// have one rule inside the block, and left out where they differ: each reader then goes by the kind of layer.
[[nodiscard]] Json drafter_config_json(const DrafterConfig& config);

/// Evenly spread layer ids: id_i = round(1 + i (L_t - 4)/(K - 1)), halves to even; L_t / 2 for K = 1 (semantics 1.5).
[[nodiscard]] std::vector<int64_t> default_layer_ids(int64_t num_target_layers, int64_t captured_count);
/// The largest K for which the formula gives ids that ascend, none twice, inside [0, L_t - 2]; 0 when there is none.
[[nodiscard]] int64_t most_captured_layers(int64_t num_target_layers);

/// The constants of the DFlash paper for its block sizes, in between in proportion to them (dflash-semantics 3.9).
[[nodiscard]] double default_decay_gamma(int64_t block_size);

}  // namespace dflash
