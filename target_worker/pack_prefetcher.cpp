#include "target_worker/pack_prefetcher.h"

#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

PackPrefetcher::PackPrefetcher(const WorkerContext& worker, PreloadedDataset& dataset)
    : worker_(worker), dataset_(dataset) {
  thread_ = std::make_unique<StageThread>(
      "prefetch", [this] { run(); }, [this](const std::exception_ptr& error) { packs_.close(error); });
}

PackPrefetcher::~PackPrefetcher() {
  owner_gone_ = true;
  packs_.close();
}

void PackPrefetcher::request_leases(int count) {
  ControlMessage message;
  message.mutable_lease_request()->set_count(count);
  worker_.control.send(message);
}

std::optional<LeaseGrant> PackPrefetcher::wait_for_grant() {
  constexpr std::chrono::milliseconds kLook{50};  // how soon the thread notices that its owner is leaving with an error
  const Deadline deadline = worker_.pace_deadline();
  where_.enter("wait for a lease", -1);
  while (!owner_gone_ && !worker_.control.stopped() && !deadline.expired()) {
    auto message = worker_.control.wait(Deadline::after(kLook));
    if (!message) continue;
    if (message->has_lease_grant()) return std::move(*message->mutable_lease_grant());
    throw Error(ErrorKind::internal, format("expected a lease from the coordinator, got {}", message_name(*message)));
  }
  if (owner_gone_ || worker_.control.stopped()) return std::nullopt;
  throw Error(ErrorKind::stall, "no lease from the coordinator in time: are the drafters making progress?");
}

void PackPrefetcher::run() {
  request_leases(static_cast<int>(kPrefetchedPacks));
  for (bool last = false; !last;) {
    const std::optional<LeaseGrant> grant = wait_for_grant();
    if (!grant) break;
    for (const int64_t sequence : grant->sequences()) {
      where_.enter("build a pack", sequence);
      LeasedPack leased{sequence, dataset_.pack(sequence)};
      where_.enter("hand on a pack");
      const QueueStatus status = packs_.push(std::move(leased), worker_.pace_deadline());
      if (status == QueueStatus::closed) return;  // the target's loop has ended
      if (status == QueueStatus::timeout)
        throw Error(ErrorKind::stall, format("batch {} waited too long for the target", sequence));
    }
    last = grant->last();
    if (!last) request_leases(grant->sequences_size());
  }
  packs_.close();
}

}  // namespace dflash
