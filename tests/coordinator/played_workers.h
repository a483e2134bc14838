// A target and drafters as the coordinator sees them, for tests of its loop under mpirun: rank 0 coordinator, rank 1
// target, ranks 2 and 3 drafters. The drafters keep step as theirs do: the lead says at each step whether it was the
// last.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>

#include "common/checkpoint/checkpoint_store.h"
#include "coordinator/coordinator_loop.h"
#include "tests/support/mpi_test.h"
#include "tests/support/temp_folder.h"

namespace dflash {

constexpr int kTarget = 1, kLead = 2, kFollower = 3, kDrafters = 2;

inline RoleMap gather_cast() {
  const Role roles[] = {Role::coordinator, Role::target, Role::drafter, Role::drafter};
  return RoleMap::gather(mpi_env(), roles[mpi_env().world_rank()], Deadline::after(std::chrono::seconds(30)));
}

inline ControlMessage next_message(ControlLink& link) {
  const std::optional<Incoming> incoming = link.wait(Deadline::after(std::chrono::seconds(30)));
  if (!incoming) throw Error(ErrorKind::stall, "no message came");
  return incoming->message;
}

/// The next message but a ping, which is answered.
inline ControlMessage next_work(ControlLink& link) {
  for (;;) {
    ControlMessage message = next_message(link);
    if (!message.has_ping()) return message;
    ControlMessage answer;
    answer.mutable_pong();
    link.send(0, answer);
  }
}

/// Asks for one batch after the other and "computes" it: its drafter is told its number.
inline void play_target(ControlLink& link) {
  ControlMessage request;
  request.mutable_lease_request()->set_count(2);
  for (bool last = false; !last;) {
    link.send(0, request);
    const ControlMessage message = next_work(link);
    if (message.has_stop()) return;
    for (const int64_t sequence : message.lease_grant().sequences()) {
      ControlMessage computed;
      computed.mutable_batch_trained()->set_sequence(sequence);
      link.send(kLead + static_cast<int>(sequence % kDrafters), computed);
    }
    last = message.lease_grant().last();
  }
  EXPECT_TRUE(next_work(link).has_stop());
}

struct PlayedRun {
  std::string folder;
  int64_t steps_done = 0;
  int64_t total_steps = 0;
  int64_t accumulation = 1;  // batches per step and drafter
};

/// A drafter whose network is its step number.
class PlayedDrafter {
 public:
  PlayedDrafter(ControlLink& link, int index, const PlayedRun& run)
      : link_(link),
        index_(index),
        run_(run),
        store_(run.folder + "/checkpoints"),
        computed_(run.steps_done * run.accumulation * kDrafters + index),
        trained_(computed_) {}

  void play() {
    for (int64_t step = run_.steps_done; !last_step(step);) train(++step);
    while (!stopped_) take_message();
  }

 private:
  /// At the end of a step: whether it is the last.
  bool last_step(int64_t step) {
    if (index_ > 0) {
      if (step == run_.steps_done) return false;
      while (agreed_step_ < step) take_message();
      return agreed_last_;
    }
    while (asked_step_ < step && !asked_to_stop_) take_message();
    const bool last = asked_to_stop_ || step == run_.total_steps;
    if (asked_step_ == step || last) save(step, last);
    ControlMessage agreed;
    agreed.mutable_checkpoint_part()->set_step(step);
    agreed.mutable_checkpoint_part()->set_final(last);
    link_.send(kFollower, agreed);
    return last;
  }

  void take_message() {
    const ControlMessage message = next_work(link_);
    if (message.has_checkpoint_request()) asked_step_ = message.checkpoint_request().step();
    if (message.has_checkpoint_part()) {
      agreed_step_ = message.checkpoint_part().step();
      agreed_last_ = message.checkpoint_part().final();
    }
    if (message.has_batch_trained()) {
      EXPECT_EQ(message.batch_trained().sequence(), computed_);
      computed_ += kDrafters;
    }
    asked_to_stop_ |= message.has_stop_request();
    stopped_ |= message.has_stop();
  }

  void train(int64_t step) {
    for (int64_t micro_step = 0; micro_step < run_.accumulation; ++micro_step, trained_ += kDrafters) {
      while (computed_ <= trained_) take_message();
      ControlMessage message;
      message.mutable_batch_trained()->set_sequence(trained_);
      link_.send(0, message);
    }
    ControlMessage message;
    StepReport& report = *message.mutable_step_report();
    report.set_step(step);
    report.set_loss_sum(static_cast<double>(index_ == 0 ? step : 3 * step));
    report.set_weight_sum(2);
    link_.send(0, message);
  }

  void save(int64_t step, bool last) {
    write_text(store_.make_staging(step) / "state/step", std::to_string(step));
    ControlMessage message;
    message.mutable_checkpoint_part()->set_step(step);
    message.mutable_checkpoint_part()->add_files("state/step");
    message.mutable_checkpoint_part()->set_final(last);
    link_.send(0, message);
  }

  ControlLink& link_;
  const int index_;
  const PlayedRun run_;
  const CheckpointStore store_;
  int64_t computed_, trained_;  // the next batch that comes, and that is trained
  int64_t asked_step_ = -1, agreed_step_ = -1;
  bool asked_to_stop_ = false, agreed_last_ = false, stopped_ = false;
};

/// What rank 0 needs for a loop.
struct Stage {
  TempFolder temp;
  std::ostringstream out;
  Console console{out, false};
  RunRecorder recorder{temp.path() / "run", "", {}};
};

/// Rank 0 tells the drafters where their run lies, on a link of its own: the target's messages must not come between.
inline std::string agree_on_folder(const RoleMap& roles, const std::filesystem::path& folder) {
  ControlLink link(roles);
  if (roles.own_role() == Role::drafter) return next_message(link).welcome().config().run().dir();
  if (roles.own_rank() == 0) {
    ControlMessage message;
    message.mutable_welcome()->mutable_config()->mutable_run()->set_dir(folder.string());
    for (const int drafter : roles.ranks_of(Role::drafter)) link.send(drafter, message);
    link.flush(Deadline::after(std::chrono::seconds(30)));
  }
  return "";
}

/// The part of a rank that is not the coordinator.
inline void play_worker(ControlLink& link, const RoleMap& roles, const PlayedRun& run) {
  if (roles.own_role() == Role::target) play_target(link);
  if (roles.own_role() == Role::drafter) PlayedDrafter(link, roles.own_index(), run).play();
  link.flush(Deadline::after(std::chrono::seconds(30)));
}

}  // namespace dflash
