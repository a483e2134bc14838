#include "common/data/batch_slot.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/marked_states.h"
#include "common/data/pack_kernel.h"
#include "common/device/cuda_stream.h"
#include "common/device/kernel_copy.h"

namespace dflash {
namespace {

template <typename T>
void write_field(std::span<std::byte> slot, size_t offset, const std::vector<T>& from) {
  std::memcpy(slot.data() + offset, from.data(), from.size() * sizeof(T));
}

void check_pack(const Pack& pack, const BatchLayout& layout) {
  const auto positions = static_cast<size_t>(layout.pack_tokens);
  if (pack.input_ids.size() == positions && pack.document_ids.size() == positions &&
      pack.position_ids.size() == positions && pack.loss_mask.size() == positions) {
    return;
  }
  throw Error(ErrorKind::internal, format("a pack of {} positions for a slot of {}", pack.input_ids.size(), positions));
}

void write_ids(std::span<std::byte> slot, const BatchLayout& layout, const Pack& pack) {
  check_pack(pack, layout);
  // Gaps too, so that a recorded file is the same whatever the slot held before.
  std::ranges::fill(slot.first(layout.captured_offset), std::byte{0});
  std::ranges::fill(slot.subspan(layout.captured_offset + layout.captured_bytes()), std::byte{0});
  write_field(slot, layout.input_ids_offset, pack.input_ids);
  write_field(slot, layout.document_ids_offset, pack.document_ids);
  write_field(slot, layout.position_ids_offset, pack.position_ids);
  write_field(slot, layout.loss_mask_offset, pack.loss_mask);
}

}  // namespace

void fill_batch_slot(std::span<std::byte> slot, const BatchLayout& layout, int64_t sequence, const Pack& pack,
                     std::span<const std::byte> captured, const StateNoise& noise) {
  write_ids(slot, layout, pack);
  const std::span<std::byte> states = slot.subspan(layout.captured_offset, layout.captured_bytes());
  BatchMarks marks;
  if (layout.split_layers) {
    marks.finite = copy_captured_layers(captured, layout, states);
  } else {
    marks.finite = pack_hidden_states_from_captured(captured, layout, noise, states);
    marks.noise_added = noise.strength > 0;
  }
  write_batch_header(slot, layout, sequence, pack.document_starts.back(), marks);
}

void finish_batch_slot(std::span<std::byte> slot, const BatchLayout& layout, int64_t sequence, const Pack& pack,
                       const StateNoise& noise) {
  BatchMarks marks;
  marks.finite = read_mark(slot.subspan(marked_states_offset(layout)));  // before the ids go over it
  marks.noise_added = !layout.split_layers && noise.strength > 0;
  write_ids(slot, layout, pack);
  write_batch_header(slot, layout, sequence, pack.document_starts.back(), marks);
}

bool needs_assembly(const BatchHeader& header, const BatchLayout& layout, const StateNoise& noise) {
  return layout.split_layers || (noise.strength > 0 && header.noise_added == 0);
}

void assemble_batch(std::span<const std::byte> slot, const BatchLayout& layout, const StateNoise& noise,
                    std::span<std::byte> assembled) {
  const BatchHeader header = read_batch_header(slot, layout);
  const StateNoise due = header.noise_added != 0 ? StateNoise() : noise;
  const BatchLayout packed = packed_layout(layout);
  const std::span<const std::byte> from = slot.subspan(layout.captured_offset, layout.captured_bytes());
  const std::span<std::byte> to = assembled.subspan(layout.captured_offset, layout.captured_bytes());
  std::memcpy(assembled.data(), slot.data(), layout.captured_offset);
  if (layout.split_layers) {
    (void)pack_hidden_states_from_captured(from, packed, due, to);  // whether it is finite is known
  } else {
    std::memcpy(to.data(), from.data(), from.size());
    add_noise_to_packed(to, packed, due);
  }
  write_batch_header(assembled, packed, header.sequence, header.used_tokens,
                     {header.finite != 0, header.noise_added != 0 || due.strength > 0});
}

void assemble_batch_in_kernel(const BatchHeader& header, std::span<std::byte> slot, const BatchLayout& layout,
                              const StateNoise& noise, std::span<std::byte> assembled) {
  CUstream_st* const stream = current_cuda_stream();
  if (stream == nullptr) return assemble_batch(slot, layout, noise, assembled);
  const StateNoise due = header.noise_added != 0 ? StateNoise() : noise;
  const std::span<std::byte> from = slot.subspan(layout.captured_offset, layout.captured_bytes());
  const size_t mark = marked_states_offset(layout);
  if (layout.split_layers) {
    enqueue_pack(pack_job(from, packed_layout(layout), due, assembled.subspan(mark, marked_states_bytes(layout))),
                 stream);
  } else {
    const std::span<std::byte> to = assembled.subspan(layout.captured_offset, layout.captured_bytes());
    kernel_copy(to.data(), from.data(), from.size());
    enqueue_pack(noise_job(to, layout, due, assembled.subspan(mark, kMarkBytes)), stream);
  }
  kernel_copy(assembled.data(), slot.data(), layout.captured_offset);  // over the kernel's mark
}

}  // namespace dflash
