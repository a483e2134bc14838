// Postprocess: captured states -> free slot of the batch's drafter -> header -> sent.
//
// Threading: one thread calls send(); another may call finish_streams() when no send() is running, and abandon() at any
// time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "common/mpi/worker_main.h"
#include "target_worker/slot_packer.h"

namespace dflash {

struct PostprocessTimes {
  int64_t batches = 0;
  int64_t slot_wait_ns = 0;  // for a free slot: the drafter is behind
  int64_t pack_hidden_ns = 0;
};

class Postprocess {
 public:
  /// `senders`: one channel for each drafter, in their order; batch s goes to drafter s mod D. `where` is told the
  /// stages.
  Postprocess(const WorkerContext& worker, SlotPacker packer, std::vector<Sender*> senders, Whereabouts& where);

  /// Error{stall} naming batch and drafter when the drafter takes nothing, {peer_died} when it has closed its channel
  /// or died. Does nothing once the run is stopped or this is abandoned.
  void send(CapturedPack&& captured);
  /// A send() that waits returns soon, and none begins: its process is leaving with an error.
  void abandon() { abandoned_ = true; }
  /// Ends the streams, and waits until the drafters have taken them.
  void finish_streams();
  [[nodiscard]] const PostprocessTimes& times() const { return times_; }

 private:
  /// True when the run is over: nothing more is sent, whatever the channel says. Else throws unless `status` is ok.
  [[nodiscard]] bool is_over() const { return abandoned_ || worker_.control.stopped(); }
  [[nodiscard]] bool run_stopped(ChannelStatus status, size_t drafter, const std::string& what) const;

  const WorkerContext& worker_;
  SlotPacker packer_;
  std::vector<Sender*> senders_;  // by drafter
  Whereabouts& where_;
  std::atomic<bool> abandoned_ = false;
  PostprocessTimes times_;
};

}  // namespace dflash
