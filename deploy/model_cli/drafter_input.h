// What `dflash dump drafter` is given: one packed row with its captured states, the anchors, the target's frozen ends.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "common/hf/drafter_config.h"
#include "common/tensor/hidden_state_batch.h"

namespace dflash {

struct DrafterInput {
  HiddenStateBatch row;       // [S]
  HiddenStateBatch extended;  // [S + U]: behind it, for every unused slot, a mask token that is a document of its own
  std::vector<int64_t> anchors;  // rows of `extended`, ascending
  at::Tensor block_of_slot;      // [A] int64: which of `anchors` a slot of the input is
  at::Tensor unused;             // [A] bool: slots whose anchor_keep is 0: their block sees nothing but itself
};

/// Tensors input_ids, document_ids, position_ids, loss_mask [S], hidden_states [S, K*H], anchors [A], and anchor_keep
/// [A] where some slots are unused. Error{input_file} naming what is missing or does not fit.
[[nodiscard]] DrafterInput read_drafter_input(const std::string& path, const DrafterConfig& config);

struct FrozenEnds {
  at::Tensor embedding, head;  // [V, H] fp32
};
/// model.embed_tokens.weight and lm_head.weight; without the latter the embedding is the head.
[[nodiscard]] FrozenEnds read_frozen_ends(const std::string& path, const DrafterConfig& config);

}  // namespace dflash
