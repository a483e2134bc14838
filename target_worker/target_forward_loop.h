// TargetForwardLoop: leased pack -> frozen forward with capture -> slot -> channel of the batch's drafter, until the
// run has no more packs, or is stopped.
//
// Threading: the thread that calls run(). Owns: the capture buffers, allocated once.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
  /// `target` has loaded the layers up to the deepest captured one: the forward stops there. `senders`: one channel for
  /// each drafter, in their order; batch s goes to drafter s mod D.
  TargetForwardLoop(const WorkerContext& worker, const TargetModel& target, const BatchLayout& layout,
                    std::vector<Sender*> senders);

  /// Computes every pack of the queue, then ends the streams; leaves at once when the coordinator has stopped the run.
  /// Error{stall} naming batch and drafter when a drafter takes nothing, {peer_died} when it has closed its channel or
  /// died.
  void run(BoundedQueue<LeasedPack>& packs);
  [[nodiscard]] const TargetTimes& times() const { return times_; }

 private:
  void compute(const LeasedPack& leased);
  void capture(const Pack& pack);
  void send(const LeasedPack& leased);
  void fill(std::span<std::byte> slot, const LeasedPack& leased);
  void finish_streams();
  /// True when the run was stopped: nothing more is sent, whatever the channel says. Else throws unless `status` is ok.
  [[nodiscard]] bool run_stopped(ChannelStatus status, size_t drafter, const std::string& what) const;

  const WorkerContext& worker_;
  const TargetModel& target_;
  const BatchLayout& layout_;
  std::vector<Sender*> senders_;      // by drafter
  std::vector<at::Tensor> captured_;  // one [T, H] per captured layer
  TargetTimes times_;
};

}  // namespace dflash
