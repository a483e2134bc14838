// Under mpirun with four ranks: a signal comes to the coordinator. What has come stays noted, so the order of the tests
// counts: only in the first one it comes while the run is under way.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "common/base/stop_signal.h"
#include "coordinator/roll_call.h"
#include "coordinator/run_end.h"
#include "tests/coordinator/played_workers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

/// Of a run that would take for ever.
LoopSettings long_run() {
  return {.total_steps = 1'000'000, .batches_per_step = kDrafters, .queue_depth = 4, .stall_timeout_s = 30};
}

/// Raises SIGTERM in this process when three steps are on the disk.
void signal_after_three_steps(const std::filesystem::path& metrics) {
  for (int looks = 0; looks < 20'000; ++looks) {
    const std::string text = read_text(metrics);
    if (std::count(text.begin(), text.end(), '\n') >= 3) break;
    std::this_thread::sleep_for(1ms);
  }
  kill(getpid(), SIGTERM);
}

void lead_until_a_signal(ControlLink& link, const RoleMap& roles, Stage& stage) {
  note_stop_signals();
  Crew crew(link, roles, 30);
  CoordinatorLoop loop(long_run(), crew, stage.recorder, stage.console);
  std::thread signaller(signal_after_three_steps, stage.temp.path() / "run/metrics.jsonl");
  loop.run();
  signaller.join();
  const int64_t steps = loop.steps_done();
  EXPECT_GE(steps, 3);
  EXPECT_LT(steps, 1'000'000);
  EXPECT_EQ(loop.newest_checkpoint(), steps);
  const CheckpointStore store(stage.recorder.checkpoints_folder());
  EXPECT_EQ(store.committed_steps(), (std::vector<int64_t>{0, steps}));
  EXPECT_EQ(store.verify(steps).next_sequence(), steps * kDrafters);
  const std::string metrics = read_text(stage.temp.path() / "run/metrics.jsonl");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), steps) << "every step is told";
  const Verdict verdict = verdict_of(loop, 1'000'000);
  EXPECT_EQ(verdict.outcome, "stopped");
  EXPECT_EQ(verdict.exit_code, 143);
  EXPECT_EQ(verdict.step, steps);
  EXPECT_NE(verdict.message.find("it was saved: go on with --resume"), std::string::npos) << verdict.message;
}

TEST(CoordinatorStop, ASignalSavesAndStops) {
  const RoleMap roles = gather_cast();
  Stage stage;
  const std::string folder = agree_on_folder(roles, stage.temp.path() / "run");
  ControlLink link(roles);
  if (roles.own_rank() == 0) return lead_until_a_signal(link, roles, stage);
  play_worker(link, roles, {.folder = folder, .total_steps = 1'000'000});
}

TEST(CoordinatorStop, WhoDoesNotAnswerIsNamedAndNothingIsSaved) {
  const RoleMap roles = gather_cast();
  ControlLink link(roles);
  if (roles.own_rank() == kFollower) std::this_thread::sleep_for(2s);  // it lives and says nothing
  if (roles.own_rank() == kTarget || roles.own_rank() == kLead) {
    for (int kinds = 0; kinds < (roles.own_rank() == kLead ? 2 : 1); ++kinds) {
      ControlMessage message = next_message(link);  // the lead's checkpoint request comes first
      if (message.has_ping()) {
        message.mutable_pong();
        link.send(0, message);
      }
    }
    std::this_thread::sleep_for(2s);
    EXPECT_FALSE(link.poll()) << "nobody is asked to save";
  }
  if (roles.own_rank() != 0) return;
  Stage stage;
  Crew crew(link, roles, 30);
  CoordinatorLoop loop(long_run(), crew, stage.recorder, stage.console);
  const Error error = error_of([&] { loop.run(); });
  EXPECT_EQ(error.kind(), ErrorKind::peer_died);
  EXPECT_TRUE(says(error, {"drafter 1 (rank 3", "did not answer within 1 s after a signal: nothing more was saved"}));
}

TEST(CoordinatorStop, ASaveThatTakesTooLongIsAStall) {
  const RoleMap roles = gather_cast();
  ControlLink link(roles);
  if (roles.own_rank() != 0) {
    bool aborted = false;
    while (!aborted) {
      ControlMessage message = next_message(link);
      aborted = message.has_abort();
      if (!message.has_ping()) continue;
      message.mutable_pong();
      link.send(0, message);
    }
    return;
  }
  Stage stage;
  Crew crew(link, roles, 30);
  LoopSettings settings = long_run();
  settings.stall_timeout_s = 1.2;
  CoordinatorLoop loop(settings, crew, stage.recorder, stage.console);
  expect_error(ErrorKind::stall, "no final checkpoint came within run.stall_timeout_s = 1.2 s", [&] { loop.run(); });
  ControlMessage message;
  message.mutable_abort();
  crew.send_to_all(message);
  crew.flush(Deadline::after(30s));
}

TEST(CoordinatorStop, BeforeTheFirstStepThereIsNothingToSave) {
  const RoleMap roles = gather_cast();
  ControlLink link(roles);
  if (roles.own_rank() != 0) return;
  Crew crew(link, roles, 30);
  expect_error(ErrorKind::stopped, "a signal ended the run before its first step",
               [&] { welcome_workers(crew, Welcome(), Deadline::after(30s)); });
  expect_error(ErrorKind::stopped, "a signal", [&] { await_ready(crew, {}, Deadline::after(30s)); });
}

}  // namespace
}  // namespace dflash
