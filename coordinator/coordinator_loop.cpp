#include "coordinator/coordinator_loop.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stop_signal.h"
#include "common/mpi/handshake.h"
#include "common/mpi/whereabouts.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLongestSleep = 100ms;  // then signals and commits are looked for
constexpr auto kTimeToStop = 10s;
constexpr auto kTimeToAnswer = 1s;
constexpr auto kPause = 500ms;  // between signs of life to workers that saw a signal: they leave after 2 s

ScheduleSettings schedule_settings(const LoopSettings& settings, const RoleMap& roles) {
  return {.first_sequence = settings.resumed_from.value_or(0) * settings.batches_per_step,
          .total_batches = settings.total_steps * settings.batches_per_step,
          .queue_depth = settings.queue_depth,
          .targets = roles.count(Role::target),
          .drafters = roles.count(Role::drafter)};
}

}  // namespace

CoordinatorLoop::CoordinatorLoop(const LoopSettings& settings, Crew& crew, RunRecorder& recorder, Console& console)
    : settings_(settings),
      crew_(crew),
      roles_(crew.roles()),
      recorder_(recorder),
      console_(console),
      store_(recorder.checkpoints_folder()),
      scheduler_(schedule_settings(settings, roles_)),
      reports_(roles_.count(Role::drafter), settings.resumed_from.value_or(0)),
      checkpoints_(settings.total_steps, settings.checkpoint_every_steps, settings.resumed_from),
      progress_(settings.total_steps, settings.resumed_from.value_or(0), settings.queue_depth, Clock::now()),
      steps_done_(settings.resumed_from.value_or(0)),
      committer_(store_) {}

void CoordinatorLoop::run() {
  send_next_checkpoint_request();
  while (!complete()) {
    act_on_signal(Clock::now());
    take_committed();
    if (const auto incoming = crew_.wait(Deadline::after(kLongestSleep))) handle(*incoming);
  }
  stop_workers();
}

void CoordinatorLoop::handle(const Incoming& incoming) {
  pause_in_tests();
  const ControlMessage& message = incoming.message;
  const int index = roles_.index_of(incoming.rank);
  switch (message.body_case()) {
    case ControlMessage::kLeaseRequest:
      expect_role(incoming, Role::target);
      return send_grants(scheduler_.request(index, message.lease_request().count()));
    case ControlMessage::kBatchTrained:
      expect_role(incoming, Role::drafter);
      return send_grants(scheduler_.batch_trained(index, message.batch_trained().sequence()));
    case ControlMessage::kStepReport:
      expect_role(incoming, Role::drafter);
      return take_step_report(index, message.step_report());
    case ControlMessage::kCheckpointPart:
      expect_role(incoming, Role::drafter);
      return take_checkpoint_part(message.checkpoint_part());
    default:
      throw Error(ErrorKind::internal, format("{} sent {}, which is not for a coordinator in a run",
                                              roles_.describe(incoming.rank), message_name(message)));
  }
}

void CoordinatorLoop::take_step_report(int drafter, const StepReport& report) {
  reports_.add(drafter, report);
  while (const std::optional<StepReport> sum = reports_.next()) {
    if (sum->step() > settings_.total_steps) {
      throw Error(ErrorKind::internal, format("step {} of {} was reported", sum->step(), settings_.total_steps));
    }
    steps_done_ = sum->step();
    const StepMetrics metrics = step_metrics(*sum);
    recorder_.record(metrics);
    const TimePoint now = Clock::now();
    console_.progress(progress_line(progress_.update(metrics, now)), now, steps_done_ == settings_.total_steps);
  }
  commit_what_is_reported();
}

void CoordinatorLoop::take_checkpoint_part(const CheckpointPart& part) {
  checkpoints_.part_received(part.step(), part.final());
  send_next_checkpoint_request();
  parts_.push_back(part);
  commit_what_is_reported();
}

void CoordinatorLoop::commit_what_is_reported() {
  while (!parts_.empty() && parts_.front().step() <= steps_done_) {
    const CheckpointPart& part = parts_.front();
    committer_.add({.step = part.step(),
                    .next_sequence = part.step() * settings_.batches_per_step,
                    .config_hash = settings_.config_hash,
                    .files = {part.files().begin(), part.files().end()},
                    .added = recorder_.checkpoint_facts()});
    parts_.pop_front();
  }
}

void CoordinatorLoop::take_committed() {
  const std::optional<int64_t> step = committer_.poll();
  if (!step) return;
  const std::string line = format("checkpoint of step {}: {}", *step, store_.final_folder(*step).string());
  log_info(line);
  console_.notice(line);
}

std::optional<int64_t> CoordinatorLoop::newest_checkpoint() const {
  const std::vector<int64_t> committed = store_.committed_steps();
  return committed.empty() ? std::nullopt : std::optional(committed.back());
}

void CoordinatorLoop::act_on_signal(TimePoint now) {
  if (!stop_signal_time()) return;
  if (!stopping_since_) return ask_for_a_stop(now);
  if (now - pinged_ < kPause) return;
  pinged_ = now;
  ControlMessage message;
  message.mutable_ping();
  crew_.send_to_all(message);
  if (std::chrono::duration<double>(now - *stopping_since_).count() > settings_.stall_timeout_s) {
    throw Error(ErrorKind::stall, format("after a signal no final checkpoint came within run.stall_timeout_s = {:g} s",
                                         settings_.stall_timeout_s));
  }
}

void CoordinatorLoop::ask_for_a_stop(TimePoint now) {
  stopping_since_ = pinged_ = now;
  log_info("a signal came: asking all ranks");
  const std::vector<int> silent = crew_.ping(Deadline::after(kTimeToAnswer));
  if (!silent.empty()) {
    throw crew_.failure(ErrorKind::peer_died, silent.front(),
                        format("did not answer within {} s after a signal: nothing more was saved",
                               std::chrono::seconds(kTimeToAnswer).count()));
  }
  console_.notice("a signal came, and all ranks answer: saving at the end of this step, then stopping");
  ControlMessage message;
  message.mutable_stop_request();
  send_to_lead(message);
}

void CoordinatorLoop::send_grants(const std::vector<Grant>& grants) {
  const std::vector<int> target_ranks = roles_.ranks_of(Role::target);
  for (const Grant& grant : grants) {
    ControlMessage message;
    LeaseGrant& lease = *message.mutable_lease_grant();
    lease.mutable_sequences()->Add(grant.sequences.begin(), grant.sequences.end());
    lease.set_last(grant.last);
    crew_.send(target_ranks[static_cast<size_t>(grant.target)], message);
  }
}

void CoordinatorLoop::send_next_checkpoint_request() {
  const std::optional<int64_t> step = checkpoints_.next_request();
  if (!step) return;
  ControlMessage message;
  message.mutable_checkpoint_request()->set_step(*step);
  send_to_lead(message);
}

void CoordinatorLoop::send_to_lead(const ControlMessage& message) {
  crew_.send(roles_.ranks_of(Role::drafter).front(), message);
}

void CoordinatorLoop::stop_workers() {
  ControlMessage message;
  message.mutable_stop();
  crew_.send_to_all(message);
  crew_.flush(Deadline::after(kTimeToStop));
}

void CoordinatorLoop::expect_role(const Incoming& incoming, Role role) const {
  if (roles_.role_of(incoming.rank) == role) return;
  throw Error(ErrorKind::internal, format("{} sent {}, which only a {} may", roles_.describe(incoming.rank),
                                          message_name(incoming.message), role_name(role)));
}

bool CoordinatorLoop::complete() const {
  return checkpoints_.final_step() && steps_done_ >= *checkpoints_.final_step() && committer_.idle();
}

}  // namespace dflash
