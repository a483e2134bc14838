// TargetForwardLoop: leased pack -> frozen forward with capture -> slot -> channel, until the run has no more packs.
//
// Threading: the thread that calls run(). Owns: the capture buffers, allocated once.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "common/channel/channel.h"
#include "common/data/batch_layout.h"
#include "common/model/target_model.h"
#include "target_worker/pack_prefetcher.h"

namespace dflash {

/// Where the loop's time went, in all.
struct TargetTimes {
  int64_t batches = 0;
  int64_t pack_wait_ns = 0;  // for a lease and its pack
  int64_t forward_ns = 0;
  int64_t slot_wait_ns = 0;  // for a free slot: the drafter is behind
  int64_t pack_hidden_ns = 0;
};

class TargetForwardLoop {
 public:
  /// `target` has loaded the layers up to the deepest captured one: the forward stops there.
  TargetForwardLoop(const WorkerContext& worker, const TargetModel& target, const BatchLayout& layout, Sender& sender);

  /// Computes every pack of the queue, then ends the stream. Error{stall} naming the batch when the drafter takes
  /// nothing, {peer_died} when it has closed its channel.
  void run(BoundedQueue<LeasedPack>& packs);
  [[nodiscard]] const TargetTimes& times() const { return times_; }

 private:
  void compute(const LeasedPack& leased);
  void capture(const Pack& pack);
  void send(const LeasedPack& leased);

  const WorkerContext& worker_;
  const TargetModel& target_;
  const BatchLayout& layout_;
  Sender& sender_;
  std::vector<at::Tensor> captured_;  // one [T, H] per captured layer
  TargetTimes times_;
};

}  // namespace dflash
