#include "coordinator/coordinator_loop.h"

#include <chrono>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLongestSleep = 500ms;  // then stalls are looked for
constexpr auto kTimeToStop = 10s;
constexpr auto kTimeForACause = 1s;

/// The message's name in control.proto: "step_report".
std::string body_name(const ControlMessage& message) {
  const auto* field = ControlMessage::descriptor()->FindFieldByNumber(message.body_case());
  return field == nullptr ? "an empty message" : field->name();
}

[[noreturn]] void throw_failure(const Failure& failure, const std::string& who) {
  std::string where;
  if (!failure.stage().empty()) where += format(" in {}", failure.stage());
  if (failure.sequence() >= 0) where += format(" at batch {}", failure.sequence());
  throw Error(error_kind_of(failure.exit_code()), format("{} failed{}: {}", who, where, failure.message()));
}

}  // namespace

CoordinatorLoop::CoordinatorLoop(const LoopSettings& settings, ControlLink& link, const RoleMap& roles,
                                 RunRecorder& recorder, Console& console)
    : settings_(settings),
      link_(link),
      roles_(roles),
      recorder_(recorder),
      console_(console),
      store_(recorder.checkpoints_folder()),
      scheduler_(settings.total_steps * settings.batches_per_step, settings.queue_depth,
                 static_cast<int>(roles.ranks_of(Role::target).size())),
      checkpoints_(settings.total_steps, settings.checkpoint_every_steps),
      progress_(settings.total_steps, settings.queue_depth, Clock::now()),
      watch_(roles, settings.stall_timeout_s, Clock::now()) {}

void CoordinatorLoop::run() {
  send_next_checkpoint_request();
  while (!complete()) {
    const std::optional<Incoming> incoming = link_.wait(Deadline::after(kLongestSleep));
    if (incoming) {
      handle(*incoming, Clock::now());
    } else {
      watch_.check(Clock::now());
    }
  }
  stop_workers();
}

void CoordinatorLoop::handle(const Incoming& incoming, TimePoint now) {
  const ControlMessage& message = incoming.message;
  watch_.heard(incoming.rank, body_name(message), now);
  switch (message.body_case()) {
    case ControlMessage::kLeaseRequest:
      expect_role(incoming, Role::target);
      return send_grants(scheduler_.request(roles_.index_of(incoming.rank), message.lease_request().count()));
    case ControlMessage::kBatchTrained:
      expect_role(incoming, Role::drafter);
      return send_grants(scheduler_.batch_trained(message.batch_trained().sequence()));
    case ControlMessage::kStepReport:
      expect_role(incoming, Role::drafter);
      return take_step_report(message.step_report(), now);
    case ControlMessage::kCheckpointPart:
      expect_role(incoming, Role::drafter);
      return take_checkpoint_part(message.checkpoint_part());
    case ControlMessage::kFailure:
      throw_first_cause(incoming);
    default:
      throw Error(ErrorKind::internal, format("{} sent {}, which is not for a coordinator in a run",
                                              roles_.describe(incoming.rank), body_name(message)));
  }
}

/// A rank that lost its peer is often heard before the peer itself: what the others have to say is waited for a moment.
void CoordinatorLoop::throw_first_cause(const Incoming& incoming) {
  Incoming cause = incoming;
  const Deadline deadline = Deadline::after(kTimeForACause);
  while (error_kind_of(cause.message.failure().exit_code()) == ErrorKind::peer_died && !deadline.expired()) {
    std::optional<Incoming> next = link_.wait(deadline);
    if (next && next->message.has_failure()) cause = std::move(*next);
  }
  throw_failure(cause.message.failure(), roles_.describe(cause.rank));
}

void CoordinatorLoop::take_step_report(const StepReport& report, TimePoint now) {
  if (report.step() != reported_steps_ + 1 || report.step() > settings_.total_steps) {
    throw Error(ErrorKind::internal, format("the drafter reported step {} of {}, expected step {}", report.step(),
                                            settings_.total_steps, reported_steps_ + 1));
  }
  reported_steps_ = report.step();
  const StepMetrics metrics = step_metrics(report);
  recorder_.record(metrics);
  console_.progress(progress_line(progress_.update(metrics, now)), now, report.step() == settings_.total_steps);
}

void CoordinatorLoop::take_checkpoint_part(const CheckpointPart& part) {
  checkpoints_.part_received(part.step());
  send_next_checkpoint_request();
  store_.commit(part.step(), part.step() * settings_.batches_per_step, settings_.config_hash,
                {part.files().begin(), part.files().end()});
  const std::string folder = store_.final_folder(part.step()).string();
  log_info(format("checkpoint of step {}: {}", part.step(), folder));
  console_.notice(format("checkpoint of step {}: {}", part.step(), folder));
}

void CoordinatorLoop::send_grants(const std::vector<Grant>& grants) {
  const std::vector<int> target_ranks = roles_.ranks_of(Role::target);
  for (const Grant& grant : grants) {
    ControlMessage message;
    LeaseGrant& lease = *message.mutable_lease_grant();
    lease.mutable_sequences()->Add(grant.sequences.begin(), grant.sequences.end());
    lease.set_last(grant.last);
    link_.send(target_ranks[static_cast<size_t>(grant.target)], message);
  }
}

void CoordinatorLoop::send_next_checkpoint_request() {
  const std::optional<int64_t> step = checkpoints_.next_request();
  if (!step) return;
  ControlMessage message;
  message.mutable_checkpoint_request()->set_step(*step);
  link_.send(roles_.ranks_of(Role::drafter).front(), message);
}

void CoordinatorLoop::stop_workers() {
  ControlMessage message;
  message.mutable_stop();
  for (const Role role : {Role::target, Role::drafter}) {
    for (const int rank : roles_.ranks_of(role)) link_.send(rank, message);
  }
  link_.flush(Deadline::after(kTimeToStop));
}

void CoordinatorLoop::expect_role(const Incoming& incoming, Role role) const {
  if (roles_.role_of(incoming.rank) == role) return;
  throw Error(ErrorKind::internal, format("{} sent {}, which only a {} may", roles_.describe(incoming.rank),
                                          body_name(incoming.message), role_name(role)));
}

bool CoordinatorLoop::complete() const {
  return reported_steps_ == settings_.total_steps && checkpoints_.complete();
}

}  // namespace dflash
