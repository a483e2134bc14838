#include "target_worker/postprocess.h"

#include <algorithm>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stopwatch.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kLook{100};      // how soon a waiting loop notices that the run is stopped
constexpr std::chrono::seconds kStopComesWithin{2};  // behind a drafter that has left already

/// Repeats a wait of a channel in short pieces, until the deadline or until `is_over`.
template <typename Wait, typename IsOver>
ChannelStatus wait_in_pieces(Deadline deadline, Wait wait, IsOver is_over) {
  for (;;) {
    const auto piece = std::min<std::chrono::nanoseconds>(deadline.remaining(), kLook);
    const ChannelStatus status = wait(Deadline::after(piece));
    if (status != ChannelStatus::timeout || is_over() || deadline.expired()) return status;
  }
}

}  // namespace

Postprocess::Postprocess(const WorkerContext& worker, SlotPacker packer, std::vector<Sender*> senders,
                         Whereabouts& where)
    : worker_(worker), packer_(std::move(packer)), senders_(std::move(senders)), where_(where) {}

void Postprocess::send(CapturedPack&& captured) {
  const int64_t sequence = captured.leased.sequence;
  const size_t drafter = static_cast<size_t>(sequence) % senders_.size();
  Sender& sender = *senders_[drafter];
  where_.enter("wait for a slot", sequence);
  Stopwatch watch;
  SendSlot slot;
  const auto acquire = [&](Deadline piece) {
    auto [result, acquired] = sender.acquire(piece);
    slot = std::move(acquired);
    return result;
  };
  ChannelStatus status = wait_in_pieces(worker_.pace_deadline(), acquire, [this] { return is_over(); });
  times_.slot_wait_ns += watch.elapsed_ns();
  if (run_stopped(status, drafter, format("for a free slot for batch {}", sequence))) return;
  where_.enter("pack hidden states");
  watch = Stopwatch();
  Landed<SendLease> filled = packer_.fill(lend(std::move(slot)), std::move(captured), worker_.stall_deadline());
  times_.pack_hidden_ns += watch.elapsed_ns();
  status = send_landed(sender, std::move(filled));
  if (!run_stopped(status, drafter, format("to send batch {}", sequence))) ++times_.batches;
}

void Postprocess::finish_streams() {
  worker_.where().enter("finish the streams", -1);
  // First to all, also when the run is stopped: a drafter may still wait for the end of its streams.
  for (Sender* sender : senders_) (void)sender->finish(Deadline::after(std::chrono::seconds(0)));
  for (size_t drafter = 0; drafter < senders_.size() && !worker_.control.stopped(); ++drafter) {
    const auto finish = [&](Deadline piece) { return senders_[drafter]->finish(piece); };
    const ChannelStatus status = wait_in_pieces(worker_.pace_deadline(), finish, [this] { return is_over(); });
    if (run_stopped(status, drafter, "for its last batches to be taken")) return;
  }
}

bool Postprocess::run_stopped(ChannelStatus status, size_t drafter, const std::string& what) const {
  if (is_over()) return true;
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
