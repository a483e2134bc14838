#include "target_worker/lease_giver.h"

#include <cstdlib>

#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stop_signal.h"
#include "common/mpi/worker_control.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kLook{50};
constexpr std::chrono::seconds kLeavesWithin{5};  // behind a signal: it may be in a long forward

}  // namespace

LeaseGiver::LeaseGiver(ControlLink& link, int target_rank, const RecordedFolderWriter& recorded, int64_t batches,
                       Console& console)
    : link_(link),
      target_rank_(target_rank),
      recorded_(recorded),
      batches_(batches),
      console_(console),
      thread_("leases", [this] { run(); }, [this](const std::exception_ptr& error) { give_up(error); }) {}

void LeaseGiver::give_up(const std::exception_ptr& error) {
  Failure failure = describe_failure(error);
  ControlMessage message;
  message.mutable_abort()->set_exit_code(failure.exit_code());
  message.mutable_abort()->set_message(failure.message());
  try {
    link_.send(target_rank_, message);  // its control thread leaves with that
  } catch (const Error& full) {
    log_error(format("{}; {}", failure.message(), full.what()));
    flush_log();
    std::_Exit(failure.exit_code());
  }
}

void LeaseGiver::run() {
  while (!leaving_) {
    stop_after_signal();
    const std::optional<Incoming> incoming = link_.wait(Deadline::after(kLook));
    if (incoming && incoming->message.has_lease_request()) grant(incoming->message.lease_request().count());
    show();
  }
}

void LeaseGiver::grant(int64_t count) {
  ControlMessage message;
  LeaseGrant& lease = *message.mutable_lease_grant();
  for (; count > 0 && granted_ < batches_; --count) {
    lease.add_sequences(recorded_.recording().first_sequence + granted_++);
  }
  lease.set_last(granted_ == batches_);
  link_.send(target_rank_, message);
}

void LeaseGiver::stop_after_signal() {
  if (stopped_at_ && std::chrono::steady_clock::now() - *stopped_at_ > kLeavesWithin) {
    log_warn("a signal came, and the target did not leave in time: ended; what is recorded stays");
    flush_log();
    std::_Exit(kExitStoppedAndSaved);
  }
  if (stopped_at_ || !stop_signal_time()) return;
  stopped_at_ = std::chrono::steady_clock::now();
  ControlMessage message;
  message.mutable_stop();
  link_.send(target_rank_, message);
}

void LeaseGiver::show() {
  const int64_t done = recorded_.batches();
  if (done == shown_) return;
  shown_ = done;
  const auto now = std::chrono::steady_clock::now();
  const double rate = static_cast<double>(done) / std::chrono::duration<double>(now - began_).count();
  console_.progress(format("recorded {} of {} batches  {:.1f}/s  {:.0f} s left", done, batches_, rate,
                           static_cast<double>(batches_ - done) / rate),
                    now, done == batches_);
}

}  // namespace dflash
