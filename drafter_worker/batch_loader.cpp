#include "drafter_worker/batch_loader.h"

#include <utility>

#include "common/base/error.h"

namespace dflash {
namespace {

std::optional<Pool> make_buffers(Device& device, const BatchLayout& layout, const NoiseSchedule& noise) {
  const size_t count = loader_buffer_count(!device.shares_host_memory(), layout.split_layers || noise.is_on());
  if (count == 0) return std::nullopt;
  return device.make_pool({"batches", MemoryKind::device, layout.slot_bytes, count});
}

}  // namespace

void LoadedBatch::launch(Stream& compute, const Kernel& kernel) {
  std::visit([&](auto& bytes) { dflash::launch(compute, kernel, bytes); }, bytes_);
}

void LoadedBatch::wait(Stream& compute, Deadline deadline) {
  std::visit([&](auto& bytes) { bytes = std::move(bytes).land(deadline).on(compute); }, bytes_);
}

void LoadedBatch::land(Deadline deadline) && {
  std::visit([&](auto&& bytes) { static_cast<void>(std::move(bytes).land(deadline)); }, std::move(bytes_));
}

BatchLoader::BatchLoader(Device& device, const BatchLayout& layout, const NoiseSchedule& noise)
    : layout_(layout),
      packed_(packed_layout(layout)),
      noise_(noise),
      copies_(!device.shares_host_memory()),
      buffers_(make_buffers(device, layout, noise)),
      copy_in_(device.make_stream("copy-in")),
      compute_(device.make_stream("train")) {}

LoadedBatch BatchLoader::load(QueuedBatch&& batch, Deadline deadline) {
  const BatchHeader header = batch.header;
  const StateNoise noise = noise_.of_batch(header.sequence);
  const bool ready = !needs_assembly(header, layout_, noise);
  Landed<ReceivedLease> slot = lend(std::move(batch.slot));
  if (copies_) {
    OnStream<Buffer> copy = copy_async(copy_in_, std::move(slot), free_buffer(deadline)).then(compute_);
    if (ready) return {header, std::move(copy)};
    return {header, assemble(header, std::move(copy), noise, deadline)};
  }
  OnStream<ReceivedLease> in_place = std::move(slot).on(compute_);
  if (ready) return {header, std::move(in_place)};
  OnStream<Buffer> assembled = assemble(header, std::move(in_place), noise, deadline);
  return {header, std::move(assembled)};
}

template <typename Source>
OnStream<Buffer> BatchLoader::assemble(const BatchHeader& header, OnStream<Source>&& from, const StateNoise& noise,
                                       Deadline deadline) {
  OnStream<Source> source = std::move(from);
  OnStream<Buffer> to = free_buffer(deadline).on(compute_);
  const auto kernel = [header, layout = layout_, noise](std::span<std::byte> slot, std::span<std::byte> assembled) {
    assemble_batch_in_kernel(header, slot, layout, noise, assembled);
  };
  launch(compute_, kernel, source, to);
  if (!copies_) static_cast<void>(std::move(source).land(deadline));  // done already: the slot is free at once
  return to;
}

Landed<Buffer> BatchLoader::free_buffer(Deadline deadline) {
  if (std::optional<Landed<Buffer>> buffer = buffers_.value().take(deadline)) return std::move(*buffer);
  throw Error(ErrorKind::stall, "no buffer for a batch was free in time: the device does not move on");
}

}  // namespace dflash
