#include "common/tensor/hidden_state_batch.h"

#include <ATen/ATen.h>

#include "common/tensor/tensor_file.h"

namespace dflash {

HiddenStateBatch view_slot(std::span<std::byte> slot, const BatchLayout& layout) {
  TORCH_CHECK(!layout.split_layers, "split layers are laid side by side before they are looked at");
  const auto row = [&](size_t offset, at::ScalarType type) {
    return at::from_blob(slot.data() + offset, {layout.pack_tokens}, at::TensorOptions().dtype(type));
  };
  HiddenStateBatch batch;
  batch.input_ids = row(layout.input_ids_offset, at::kInt);
  batch.document_ids = row(layout.document_ids_offset, at::kInt);
  batch.position_ids = row(layout.position_ids_offset, at::kInt);
  batch.loss_mask = row(layout.loss_mask_offset, at::kByte);
  batch.captured = view_captured(slot, layout, at::kCPU);
  return batch;
}

at::Tensor view_captured(std::span<std::byte> slot, const BatchLayout& layout, at::Device device) {
  return at::for_blob(slot.data() + layout.captured_offset, {layout.pack_tokens, layout.captured_width()})
      .options(at::TensorOptions(device).dtype(scalar_type(layout.captured_dtype)))
      .target_device(device)
      .make_tensor();
}

void copy_ids(const HiddenStateBatch& batch, HiddenStateBatch& to) {
  to.sequence = batch.sequence;
  to.used_tokens = batch.used_tokens;
  for (const auto ids : {&HiddenStateBatch::input_ids, &HiddenStateBatch::document_ids, &HiddenStateBatch::position_ids,
                         &HiddenStateBatch::loss_mask}) {
    if (!(to.*ids).defined()) to.*ids = at::empty_like(batch.*ids);
    (to.*ids).copy_(batch.*ids);
  }
}

HiddenStateBatch view_received_slot(std::span<std::byte> slot, const BatchLayout& layout) {
  const BatchHeader header = read_batch_header(slot, layout);
  HiddenStateBatch batch = view_slot(slot, layout);
  batch.sequence = header.sequence;
  batch.used_tokens = header.used_tokens;
  return batch;
}

}  // namespace dflash
