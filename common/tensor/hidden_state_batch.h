// HiddenStateBatch: tensor views over a slot that holds one hidden-state batch. No copy; the slot must outlive the
// views, also in the autograd graph: a received slot is released only after the batch's backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "common/data/batch_layout.h"

namespace dflash {

/// What is read on the host lies there; the states lie where they are trained on.
struct HiddenStateBatch {
  int64_t sequence = -1;
  int64_t used_tokens = 0;  // positions that are not padding
  at::Tensor input_ids;     // [T] int32
  at::Tensor document_ids;  // [T] int32, -1 on padding
  at::Tensor position_ids;  // [T] int32
  at::Tensor loss_mask;     // [T] uint8
  at::Tensor captured;      // [T, L*H] in the layout's dtype
};

/// Views over a slot, whatever its header says. Its layout must be a packed one.
[[nodiscard]] HiddenStateBatch view_slot(std::span<std::byte> slot, const BatchLayout& layout);

/// The states [T, L*H] of a slot that lies on `device`. Its layout must be a packed one.
[[nodiscard]] at::Tensor view_captured(std::span<std::byte> slot, const BatchLayout& layout, at::Device device);

/// Copies all but the states, for when the slot has gone, into the storage that `to` has from a batch before; only the
/// first time it needs new tensors.
void copy_ids(const HiddenStateBatch& batch, HiddenStateBatch& to);

/// Checks the header (read_batch_header), then views over the slot.
[[nodiscard]] HiddenStateBatch view_received_slot(std::span<std::byte> slot, const BatchLayout& layout);

}  // namespace dflash
