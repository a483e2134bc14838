// Settings and a target as make_run_plan takes them; each test changes what it is about.
#pragma once

#include "common/plan/run_plan.h"

namespace dflash {

inline RunConfig small_config() {
  RunConfig config;
  config.mutable_drafter()->set_mask_token_id(511);
  config.mutable_drafter()->set_num_layers(2);
  config.mutable_data()->set_pack_tokens(128);
  config.mutable_pipeline();
  config.mutable_target();
  config.mutable_train();
  return config;
}

/// 8 layers: captured at 1 and 5 by the formula with K = 2 (1 + i (8 - 4) / 1).
inline ModelConfig small_target() {
  ModelConfig target;
  target.model_type = "qwen3";
  target.vocab_size = 512;
  target.hidden_size = 64;
  target.intermediate_size = 160;
  target.num_hidden_layers = 8;
  target.num_attention_heads = 8;
  target.num_key_value_heads = 2;
  target.head_dim = 16;
  target.max_position_embeddings = 2048;
  target.rms_norm_eps = 1e-6;
  target.rope.theta = 1e6;
  target.qk_norm = true;
  target.layer_types.assign(8, LayerType::full_attention);
  target.dtype = DType::bf16;
  target.bos_token_id = 1;
  target.eos_token_ids = {2, 5};
  target.pad_token_id = 0;
  return target;
}

inline constexpr MachineFacts kMachine{.cores = 8, .memory_bytes = int64_t{1} << 34};

}  // namespace dflash
