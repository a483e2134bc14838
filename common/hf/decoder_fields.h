// What config.json of a target and of a drafter have in common: sizes, rope, token ids, dtype.
#pragma once

#include "common/base/format.h"
#include "common/hf/config_fields.h"
#include "common/hf/rope_config.h"

namespace dflash {

/// Fills the fields that ModelConfig and DrafterConfig share, and checks that they fit each other.
/// `absent_head_dim`: the family's own default; 0: hidden_size / num_attention_heads.
template <typename Config>
void read_decoder_fields(const ConfigFields& fields, int64_t absent_head_dim, Config& config) {
  config.vocab_size = fields.integer("vocab_size", 1, kLargestSize);
  config.hidden_size = fields.integer("hidden_size", 1, kLargestSize);
  config.intermediate_size = fields.integer("intermediate_size", 1, kLargestSize);
  config.num_hidden_layers = fields.integer("num_hidden_layers", 1, kMostLayers);
  config.num_attention_heads = fields.integer("num_attention_heads", 1, kLargestSize);
  config.num_key_value_heads =
      fields.optional_integer("num_key_value_heads", 1, kLargestSize).value_or(config.num_attention_heads);
  if (absent_head_dim == 0) absent_head_dim = config.hidden_size / config.num_attention_heads;
  config.head_dim = fields.optional_integer("head_dim", 2, kLargestSize).value_or(absent_head_dim);
  config.max_position_embeddings = fields.integer("max_position_embeddings", 1, kLargestSize);
  config.rms_norm_eps = fields.positive_number("rms_norm_eps");
  config.rope = read_rope(fields, config.max_position_embeddings);
  config.dtype = read_config_dtype(fields);
  config.bos_token_id = fields.optional_integer("bos_token_id", 0, config.vocab_size - 1);
  config.eos_token_ids = fields.integers("eos_token_id", 0, config.vocab_size - 1);
  config.pad_token_id = fields.optional_integer("pad_token_id", 0, config.vocab_size - 1);
  if (config.num_attention_heads % config.num_key_value_heads != 0) {
    fields.refuse("num_key_value_heads", "does not divide num_attention_heads");
  }
  if (config.head_dim < 2 || config.head_dim % 2 != 0) {
    fields.refuse("head_dim", format("is {}: rotation needs pairs", config.head_dim));
  }
  refuse_unknown_layers(fields);
}

}  // namespace dflash
