// BatchLoader: received batches -> the drafter's device, with their layers side by side and their noise added.
//
// A device with memory of its own gets a copy, on a stream of its own, so that the next batch arrives while the last
// one is trained on; the slot goes back when the copy is done. On the cpu a batch that is ready stays in its slot, and
// the slot goes back when the batch is trained.
//
//   LoadedBatch batch = loader.load(queue.pop(deadline), deadline);          returns before the copy is done
//   batch.launch(loader.compute(), [](std::span<std::byte> bytes) { ... });  bytes: a slot of loader.layout()
//   batch.wait(loader.compute(), deadline);                                  it is done; more may be launched
//   std::move(batch).land(deadline);                                         waits, and gives the memory back
//
// Threading: one thread. Owns: its streams, and buffers for two batches (loader_buffers of batch_slot.h).
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "common/channel/device_slots.h"
#include "common/data/batch_slot.h"
#include "common/data/noise_schedule.h"
#include "common/device/device.h"
#include "drafter_worker/buffered_hs_queue.h"

namespace dflash {

class LoadedBatch {
 public:
  using Kernel = std::function<void(std::span<std::byte>)>;

  [[nodiscard]] int64_t sequence() const { return header_.sequence; }
  /// As it was received.
  [[nodiscard]] const BatchHeader& header() const { return header_; }
  void launch(Stream& compute, const Kernel& kernel);
  /// Waits for what was launched on `compute`. Error{stall} at the deadline, and what the kernel or a copy failed with:
  /// then only destruction is left.
  void wait(Stream& compute, Deadline deadline);
  /// The same, and the last call.
  void land(Deadline deadline) &&;

 private:
  friend class BatchLoader;
  using Bytes = std::variant<OnStream<ReceivedLease>, OnStream<Buffer>>;
  LoadedBatch(const BatchHeader& header, Bytes bytes) : header_(header), bytes_(std::move(bytes)) {}

  BatchHeader header_;
  Bytes bytes_;
};

class BatchLoader {
 public:
  /// Batches arrive in `layout`.
  BatchLoader(Device& device, const BatchLayout& layout, const NoiseSchedule& noise);

  /// Error{stall} when no buffer is free by the deadline.
  [[nodiscard]] LoadedBatch load(QueuedBatch&& batch, Deadline deadline);
  /// A batch that is loaded early arrives while another is trained on.
  [[nodiscard]] bool overlaps() const { return copies_; }
  [[nodiscard]] Stream& compute() { return compute_; }
  [[nodiscard]] const BatchLayout& arriving_layout() const { return layout_; }
  /// Of loaded batches: packed.
  [[nodiscard]] const BatchLayout& layout() const { return packed_; }

 private:
  template <typename Source>
  [[nodiscard]] OnStream<Buffer> assemble(const BatchHeader& header, OnStream<Source>&& from, const StateNoise& noise,
                                          Deadline deadline);
  [[nodiscard]] Landed<Buffer> free_buffer(Deadline deadline);

  const BatchLayout layout_;
  const BatchLayout packed_;
  const NoiseSchedule noise_;
  const bool copies_;
  std::optional<Pool> buffers_;  // where batches are trained on in their slots there are none
  Stream copy_in_;
  Stream compute_;
};

}  // namespace dflash
