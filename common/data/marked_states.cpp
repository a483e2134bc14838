#include "common/data/marked_states.h"

#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/normal_numbers.h"
#include "common/data/pack_kernel.h"
#include "common/device/cuda_stream.h"

namespace dflash {
namespace {

void check_sizes(size_t captured_bytes, size_t marked_bytes, const BatchLayout& layout) {
  if (captured_bytes == layout.captured_bytes() && marked_bytes == marked_states_bytes(layout)) return;
  throw Error(ErrorKind::internal, format("captured states of {} bytes and marked ones of {} where the layout says {}",
                                          captured_bytes, marked_bytes, layout.captured_bytes()));
}

void set_noise(PackJob& job, const StateNoise& noise) {
  job.strength = static_cast<float>(noise.strength);
  const NormalNumbers numbers(noise.seed, RandomPurpose::state_noise, static_cast<uint64_t>(noise.sequence));
  for (size_t i = 0; i < 2; ++i) {
    job.noise.key[i] = numbers.key()[i];
    job.noise.stream[i] = numbers.stream()[i];
  }
}

}  // namespace

PackJob pack_job(std::span<const std::byte> captured, const BatchLayout& layout, const StateNoise& noise,
                 std::span<std::byte> marked) {
  check_sizes(captured.size(), marked.size(), layout);
  PackJob job;
  job.captured = captured.data();
  job.packed = marked.data() + kMarkBytes;
  job.not_finite = reinterpret_cast<uint32_t*>(marked.data());
  job.bf16 = layout.captured_dtype == DType::bf16;
  job.hidden = static_cast<uint32_t>(layout.hidden_size);
  const auto layers = static_cast<uint32_t>(layout.captured_layer_ids.size());
  // Split layers stay one behind the other: one layer of that many rows.
  job.tokens = layout.split_layers ? layout.pack_tokens * layers : layout.pack_tokens;
  job.layers = layout.split_layers ? 1 : layers;
  if (!layout.split_layers) set_noise(job, noise);
  return job;
}

PackJob noise_job(std::span<std::byte> packed, const BatchLayout& layout, const StateNoise& noise,
                  std::span<std::byte> mark) {
  check_sizes(packed.size(), packed.size() + mark.size(), layout);
  PackJob job;
  job.captured = packed.data();
  job.packed = packed.data();
  job.not_finite = reinterpret_cast<uint32_t*>(mark.data());
  job.bf16 = layout.captured_dtype == DType::bf16;
  job.hidden = static_cast<uint32_t>(layout.captured_width());
  job.tokens = layout.pack_tokens;
  job.layers = 1;
  set_noise(job, noise);
  return job;
}

void pack_marked_states(std::span<const std::byte> captured, const BatchLayout& layout, const StateNoise& noise,
                        std::span<std::byte> marked) {
  const PackJob job = pack_job(captured, layout, noise, marked);
  if (CUstream_st* stream = current_cuda_stream()) return enqueue_pack(job, stream);
  const std::span<std::byte> states = marked.subspan(kMarkBytes);
  const bool finite = layout.split_layers ? copy_captured_layers(captured, layout, states)
                                          : pack_hidden_states_from_captured(captured, layout, noise, states);
  const uint32_t not_finite = finite ? 0 : 1;
  std::memcpy(marked.data(), &not_finite, sizeof not_finite);
}

bool read_mark(std::span<const std::byte> marked) {
  uint32_t not_finite = 1;
  std::memcpy(&not_finite, marked.data(), sizeof not_finite);
  return not_finite == 0;
}

}  // namespace dflash
