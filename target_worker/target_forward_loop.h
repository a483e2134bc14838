// TargetForwardLoop: leased pack -> frozen forward with capture -> post-processing, until the run has no more packs, or
// is stopped.
//
// Threading: the thread that calls run(). Owns: the post-processing, with its thread and the capture buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "common/model/target_model.h"
#include "target_worker/postprocess_stage.h"

namespace dflash {

/// Where the loop's time went, in all.
struct TargetTimes {
  int64_t pack_wait_ns = 0;  // for a lease and its pack
  int64_t forward_ns = 0;
  int64_t postprocess_wait_ns = 0;  // for capture buffers that are not in use; without a thread, all of its work
  uint64_t allocator_calls = 0;     // for memory of the hand-off, after the first batch
  uint64_t new_tensors = 0;         // made on the way into the capture buffers
};

class TargetForwardLoop {
 public:
  /// `target` has loaded the layers up to the deepest captured one: the forward stops there. `senders`: one channel for
  /// each drafter, in their order. `layout` must outlive `device`, and both the loop.
  /// `target` lies on `torch_device`, which is `device` as LibTorch calls it: the host, or the same GPU.
  TargetForwardLoop(const WorkerContext& worker, Device& device, at::Device torch_device, const TargetModel& target,
                    const BatchLayout& layout, const NoiseSchedule& noise, std::vector<Sender*> senders);

  /// Computes every pack of the queue, then ends the streams; leaves at once when the coordinator has stopped the run.
  /// Error as Postprocess::send, whichever thread it happens on.
  void run(BoundedQueue<LeasedPack>& packs);
  [[nodiscard]] const TargetTimes& times() const { return times_; }
  [[nodiscard]] const PostprocessTimes& postprocess_times() const { return postprocess_.times(); }

 private:
  void compute(LeasedPack&& leased, PostprocessStage& stage);
  /// Enqueues the copies of the captured layers into `states`, [L, T, H].
  void capture(const Pack& pack, OnStream<Buffer>& states);

  const WorkerContext& worker_;
  Device& device_;
  const at::Device torch_device_;
  const TargetModel& target_;
  const BatchLayout& layout_;
  const bool async_;
  Stream compute_;
  Whereabouts postprocess_where_;  // of its thread, when it has one
  Postprocess postprocess_;
  TargetTimes times_;
};

}  // namespace dflash
