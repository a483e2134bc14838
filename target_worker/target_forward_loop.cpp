#include "target_worker/target_forward_loop.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stopwatch.h"
#include "common/tensor/hidden_state_batch.h"
#include "common/tensor/tensor_file.h"

namespace dflash {
namespace {

at::Tensor view_ids(const std::vector<int32_t>& ids) {
  return at::from_blob(const_cast<int32_t*>(ids.data()), {static_cast<int64_t>(ids.size())}, at::kInt);
}

template <typename T>
void copy_field(const std::vector<T>& from, const at::Tensor& to) {
  std::memcpy(to.data_ptr(), from.data(), from.size() * sizeof(T));
}

constexpr std::chrono::milliseconds kLook{100};      // how soon a waiting loop notices that the run is stopped
constexpr std::chrono::seconds kStopComesWithin{2};  // behind a drafter that has left already

/// Repeats a wait of a channel in short pieces, until the deadline or until the run is stopped.
template <typename Wait>
ChannelStatus wait_in_pieces(const WorkerControl& control, Deadline deadline, Wait wait) {
  for (;;) {
    const auto piece = std::min<std::chrono::nanoseconds>(deadline.remaining(), kLook);
    const ChannelStatus status = wait(Deadline::after(piece));
    if (status != ChannelStatus::timeout || control.stopped() || deadline.expired()) return status;
  }
}

}  // namespace

TargetForwardLoop::TargetForwardLoop(const WorkerContext& worker, const TargetModel& target, const BatchLayout& layout,
                                     std::vector<Sender*> senders)
    : worker_(worker), target_(target), layout_(layout), senders_(std::move(senders)) {
  const auto options = at::TensorOptions().dtype(scalar_type(layout.captured_dtype));
  for (size_t i = 0; i < layout.captured_layer_ids.size(); ++i) {
    captured_.push_back(at::zeros({layout.pack_tokens, layout.hidden_size}, options));
  }
}

void TargetForwardLoop::run(BoundedQueue<LeasedPack>& packs) {
  const c10::InferenceMode no_autograd;
  for (;;) {
    LeasedPack leased;
    worker_.where().enter("wait for a pack", -1);
    Stopwatch watch;
    const QueueStatus status = packs.pop(leased, worker_.pace_deadline());
    times_.pack_wait_ns += watch.elapsed_ns();
    if (status == QueueStatus::closed || worker_.control.stopped()) break;
    if (status == QueueStatus::timeout) {
      throw Error(ErrorKind::stall, format("no pack was ready in time after {} batches", times_.batches));
    }
    compute(leased);
  }
  finish_streams();
}

void TargetForwardLoop::finish_streams() {
  worker_.where().enter("finish the streams", -1);
  // First to all, also when the run is stopped: a drafter may still wait for the end of its streams.
  for (Sender* sender : senders_) (void)sender->finish(Deadline::after(std::chrono::seconds(0)));
  for (size_t drafter = 0; drafter < senders_.size() && !worker_.control.stopped(); ++drafter) {
    const ChannelStatus status = wait_in_pieces(worker_.control, worker_.pace_deadline(),
                                                [&](Deadline piece) { return senders_[drafter]->finish(piece); });
    if (run_stopped(status, drafter, "for its last batches to be taken")) return;
  }
}

void TargetForwardLoop::compute(const LeasedPack& leased) {
  worker_.where().enter("forward", leased.sequence);
  Stopwatch watch;
  capture(leased.pack);
  times_.forward_ns += watch.elapsed_ns();
  send(leased);
  ++times_.batches;
}

void TargetForwardLoop::capture(const Pack& pack) {
  const auto& ids = layout_.captured_layer_ids;
  const PackedInput input{view_ids(pack.input_ids), view_ids(pack.position_ids), pack.document_starts};
  target_.forward_packed(input, [&](int64_t layer, const at::Tensor& hidden) {
    const auto found = std::find(ids.begin(), ids.end(), layer);
    if (found != ids.end()) captured_[static_cast<size_t>(found - ids.begin())].copy_(hidden);
  });
}

void TargetForwardLoop::send(const LeasedPack& leased) {
  const size_t drafter = static_cast<size_t>(leased.sequence) % senders_.size();
  Sender& sender = *senders_[drafter];
  worker_.where().enter("wait for a slot");
  Stopwatch watch;
  SendSlot slot;
  ChannelStatus status = wait_in_pieces(worker_.control, worker_.pace_deadline(), [&](Deadline piece) {
    auto [result, acquired] = sender.acquire(piece);
    slot = std::move(acquired);
    return result;
  });
  times_.slot_wait_ns += watch.elapsed_ns();
  if (run_stopped(status, drafter, format("for a free slot for batch {}", leased.sequence))) return;
  worker_.where().enter("pack hidden states");
  watch = Stopwatch();
  fill(slot.bytes(), leased);
  times_.pack_hidden_ns += watch.elapsed_ns();
  status = sender.send(std::move(slot));
  (void)run_stopped(status, drafter, format("to send batch {}", leased.sequence));
}

void TargetForwardLoop::fill(std::span<std::byte> slot, const LeasedPack& leased) {
  HiddenStateBatch batch = view_slot(slot, layout_);
  copy_field(leased.pack.input_ids, batch.input_ids);
  copy_field(leased.pack.document_ids, batch.document_ids);
  copy_field(leased.pack.position_ids, batch.position_ids);
  copy_field(leased.pack.loss_mask, batch.loss_mask);
  pack_hidden_states_from_captured(captured_, batch.captured);
  write_batch_header(slot, layout_, leased.sequence, leased.pack.document_starts.back());
}

bool TargetForwardLoop::run_stopped(ChannelStatus status, size_t drafter, const std::string& what) const {
  if (worker_.control.stopped()) return true;
  if (status == ChannelStatus::ok) return false;
  const std::string who = worker_.roles.describe(worker_.roles.ranks_of(Role::drafter)[drafter]);
  if (status == ChannelStatus::timeout) {
    throw Error(ErrorKind::stall, format("waited too long {}: {} takes nothing", what, who));
  }
  // A drafter that the coordinator has told to stop may be gone before this rank hears of it.
  if (worker_.control.wait_for_stop(Deadline::after(kStopComesWithin))) return true;
  const char* gone = status == ChannelStatus::peer_lost ? "died" : "closed its channel";
  throw Error(ErrorKind::peer_died, format("waited {}, but {} {}", what, who, gone));
}

}  // namespace dflash
