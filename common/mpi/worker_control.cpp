#include "common/mpi/worker_control.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stop_signal.h"
#include "common/base/verdict.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostWaiting = 4096;  // messages that the loops have not taken
constexpr std::chrono::nanoseconds kShortestPause = 50us, kLongestPause = 5ms;
constexpr auto kTellAtMost = 100ms, kTellAtLeast = 500ms;
constexpr auto kSilenceAfterSignal = 2s;
constexpr auto kCoordinatorEndsWithin = 2s;

[[noreturn]] void leave(int code, const std::string& why) {
  log_error(why);
  flush_log();
  std::_Exit(code);
}

ProcessWatch watch_if_near(const RoleMap& roles, int rank) {
  const bool near = roles.same_node(roles.own_rank(), rank) && roles.facts(rank).pid > 0;
  return near ? ProcessWatch(roles.facts(rank).pid) : ProcessWatch();
}

}  // namespace

WorkerControl::WorkerControl(ControlLink& link, const RoleMap& roles)
    : link_(link),
      roles_(roles),
      coordinator_(watch_if_near(roles, roles.coordinator_rank())),
      inbox_(kMostWaiting),
      thread_("control", [this] { run(); }, [this](const std::exception_ptr& error) { leave_with(error); }) {}

WorkerControl::~WorkerControl() {
  leaving_ = true;
}

void WorkerControl::send(const ControlMessage& message) {
  const std::lock_guard lock(mutex_);
  link_.send(roles_.coordinator_rank(), message);
}

std::optional<ControlMessage> WorkerControl::wait(Deadline deadline) {
  ControlMessage message;
  if (inbox_.pop(message, deadline) == QueueStatus::ok) return message;
  return std::nullopt;
}

bool WorkerControl::wait_for_stop(Deadline deadline) const {
  while (!stopped_ && !deadline.expired()) std::this_thread::sleep_for(1ms);
  return stopped_;
}

void WorkerControl::report_failure(const Failure& failure) {
  ControlMessage message;
  *message.mutable_failure() = failure;
  send(message);
  std::this_thread::sleep_for(kCoordinatorEndsWithin);  // the thread leaves when the coordinator says so
}

void WorkerControl::set_run_folder(const std::filesystem::path& folder) {
  const std::lock_guard lock(mutex_);
  run_folder_ = folder;
}

void WorkerControl::run() {
  auto pause = kShortestPause;
  while (!leaving_) {
    const Clock::time_point now = Clock::now();
    if (std::optional<ControlMessage> message = poll_link()) {
      take(std::move(*message));
      pause = kShortestPause;
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongestPause);
    }
    tell_where(now);
    watch_coordinator(now);
  }
}

std::optional<ControlMessage> WorkerControl::poll_link() {
  const std::lock_guard lock(mutex_);
  std::optional<Incoming> incoming = link_.poll();
  if (!incoming) return std::nullopt;
  return std::move(incoming->message);
}

void WorkerControl::take(ControlMessage&& message) {
  switch (message.body_case()) {
    case ControlMessage::kPing: {
      heard_ = Clock::now();
      ControlMessage answer;
      answer.mutable_pong();
      return send(answer);
    }
    case ControlMessage::kStop:
      heard_ = Clock::now();
      stopped_ = true;
      return inbox_.close();
    case ControlMessage::kAbort:
      leave(message.abort().exit_code(), format("the run has failed: {}", message.abort().message()));
    default:
      if (inbox_.push(std::move(message), Deadline::after(0s)) != QueueStatus::ok && !stopped_) {
        throw Error(ErrorKind::stall, format("{} messages of the coordinator were not taken", kMostWaiting));
      }
  }
}

void WorkerControl::tell_where(Clock::time_point now) {
  const uint64_t entries = where_.entries();
  if (now - told_ < (entries != told_entries_ ? kTellAtMost : kTellAtLeast)) return;
  told_ = now;
  told_entries_ = entries;
  ControlMessage message;
  message.mutable_heartbeat()->set_stage(where_.stage());
  message.mutable_heartbeat()->set_sequence(where_.sequence());
  send(message);
}

void WorkerControl::watch_coordinator(Clock::time_point now) {
  if (stopped_) return;  // it may leave before this rank
  const std::string who = roles_.describe(roles_.coordinator_rank());
  if (coordinator_.ended()) leave_without_coordinator(format("{} died", who));
  const auto signal = stop_signal_time();
  if (signal && now - std::max(*signal, heard_) > kSilenceAfterSignal) {
    leave_without_coordinator(format("a signal came, and {} has said nothing of it for 2 s", who));
  }
}

Failure describe_failure(const std::exception_ptr& error) {
  Failure failure;
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    failure.set_exit_code(exit_code(known.kind()));
    failure.set_message(known.what());
  } catch (const std::exception& unknown) {
    failure.set_exit_code(exit_code(ErrorKind::internal));
    failure.set_message(unknown.what());
  }
  return failure;
}

/// An error of the control thread itself. The coordinator is told if the link still can.
void WorkerControl::leave_with(const std::exception_ptr& error) {
  Failure failure = describe_failure(error);
  failure.set_stage("control");
  try {
    report_failure(failure);
  } catch (const Error& broken_link) {
    log_warn(broken_link.what());
  }
  leave(failure.exit_code(), failure.message());
}

void WorkerControl::leave_without_coordinator(const std::string& what) {
  const std::string own = roles_.describe(roles_.own_rank());
  const std::string where = format("{} was in '{}' at batch {}", own, where_.stage(), where_.sequence());
  const int code = exit_code(ErrorKind::peer_died);
  const std::lock_guard lock(mutex_);
  write_verdict_if_none(run_folder_, {.outcome = "failed",
                                      .exit_code = code,
                                      .message = format("{}; {}", what, where),
                                      .who = roles_.describe(roles_.coordinator_rank()),
                                      .stage = "coordinate"});
  leave(code, format("{}; {}", what, where));
}

}  // namespace dflash
