// Under mpirun with four ranks: the real loop on rank 0, a target and two drafters played by the test.
#include "coordinator/coordinator_loop.h"

#include "common/base/json.h"
#include "coordinator/run_end.h"
#include "tests/coordinator/played_workers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

/// The lines of metrics.jsonl must be those of the steps first .. last; the mean of the two drafters is hand-made.
void check_metrics(const Stage& stage, int64_t first, int64_t last) {
  std::istringstream lines(read_text(stage.temp.path() / "run/metrics.jsonl"));
  int64_t step = first - 1;
  for (std::string line; std::getline(lines, line);) {
    const Json metrics = Json::parse(line);
    EXPECT_EQ(metrics["step"], ++step);
    EXPECT_EQ(metrics["loss"], static_cast<double>(step));  // (step + 3 step) / (2 + 2)
  }
  EXPECT_EQ(step, last);
}

void check_checkpoints(const Stage& stage, const std::vector<int64_t>& steps, int64_t batches_per_step) {
  const CheckpointStore store(stage.recorder.checkpoints_folder());
  EXPECT_EQ(store.committed_steps(), steps);
  for (const int64_t step : steps) {
    const CheckpointManifest manifest = store.verify(step);
    EXPECT_EQ(manifest.next_sequence(), step * batches_per_step);
    EXPECT_EQ(manifest.config_hash(), "abc");
    EXPECT_EQ(read_text(store.final_folder(step) / "state/step"), std::to_string(step));
    for (const auto& [path, content] : stage.recorder.checkpoint_facts()) {
      EXPECT_EQ(read_text(store.final_folder(step) / path), content);
    }
  }
}

LoopSettings five_steps(int64_t accumulation, int64_t queue_depth, int64_t steps_done) {
  return {.resumed_from = steps_done > 0 ? std::optional(steps_done) : std::nullopt,
          .total_steps = 5,
          .batches_per_step = accumulation * kDrafters,
          .queue_depth = queue_depth,
          .checkpoint_every_steps = 2,
          .stall_timeout_s = 30,
          .config_hash = "abc"};
}

void lead(Crew& crew, Stage& stage, const LoopSettings& settings) {
  CoordinatorLoop loop(settings, crew, stage.recorder, stage.console);
  EXPECT_EQ(loop.steps_done(), settings.resumed_from.value_or(0));
  loop.run();
  EXPECT_EQ(loop.steps_done(), 5);
  const bool nothing_to_do = settings.resumed_from == 5;  // from another run's checkpoint: this folder holds none
  EXPECT_EQ(loop.newest_checkpoint(), nothing_to_do ? std::nullopt : std::optional<int64_t>(5));
  const Verdict verdict = verdict_of(loop, 5);
  EXPECT_EQ(verdict.outcome, "done");
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_EQ(verdict.message, "all 5 steps are done");
  EXPECT_EQ(verdict.step, 5);
  EXPECT_EQ(verdict.checkpoint, nothing_to_do ? "" : "checkpoints/step-00000005");
  if (nothing_to_do) return;
  const std::filesystem::path newest = stage.recorder.checkpoints_folder() / "step-00000005",
                              moved = newest.string() + "-moved";
  std::filesystem::rename(newest, moved);
  EXPECT_EQ(verdict_of(loop, 5).checkpoint, "checkpoints/step-00000004") << "only what lies there is named";
  std::filesystem::rename(moved, newest);
}

/// All ranks of one run of five steps.
void play_run(Stage& stage, int64_t accumulation, int64_t queue_depth, int64_t steps_done) {
  const RoleMap roles = gather_cast();
  const std::string folder = agree_on_folder(roles, stage.temp.path() / "run");
  ControlLink link(roles);
  if (roles.own_rank() != 0) {
    return play_worker(link, roles,
                       {.folder = folder, .steps_done = steps_done, .total_steps = 5, .accumulation = accumulation});
  }
  Crew crew(link, roles, 30);
  lead(crew, stage, five_steps(accumulation, queue_depth, steps_done));
}

TEST(CoordinatorLoop, AWholeRun) {
  for (const int64_t accumulation : {1, 3}) {
    for (const int64_t queue_depth : {1, 4}) {
      Stage stage;
      play_run(stage, accumulation, queue_depth, 0);
      if (mpi_env().world_rank() != 0) continue;
      check_checkpoints(stage, {0, 4, 5}, accumulation * kDrafters);  // 2 was pruned
      check_metrics(stage, 1, 5);
      for (const char* text :
           {"checkpoint of step 0: ", "step 1/5 (20 %)", "checkpoint of step 2: ", "step 5/5 (100 %)"}) {
        EXPECT_NE(stage.out.str().find(text), std::string::npos) << text << " in " << stage.out.str();
      }
    }
  }
}

TEST(CoordinatorLoop, ARunThatGoesOn) {
  Stage stage;
  play_run(stage, 2, 3, 2);
  if (mpi_env().world_rank() != 0) return;
  check_checkpoints(stage, {4, 5}, 4);
  check_metrics(stage, 3, 5);
}

TEST(CoordinatorLoop, ARunThatIsDoneEndsAtOnce) {
  const RoleMap roles = gather_cast();
  ControlLink link(roles);
  if (roles.own_rank() != 0) {
    EXPECT_TRUE(next_message(link).has_stop());
    return;
  }
  Stage stage;
  Crew crew(link, roles, 30);
  lead(crew, stage, five_steps(1, 3, 5));
}

/// Rank `sender` says one thing; the loop must end with this error.
Error refusal(int sender, const ControlMessage& message) {
  const RoleMap roles = gather_cast();
  ControlLink link(roles);
  if (roles.own_rank() == kLead) {
    EXPECT_EQ(next_message(link).checkpoint_request().step(), 0);
  }
  if (roles.own_rank() == sender) {
    link.send(0, message);
    link.flush(Deadline::after(30s));
  }
  if (roles.own_rank() != 0) return {ErrorKind::internal, ""};
  Stage stage;
  (void)CheckpointStore(stage.recorder.checkpoints_folder()).make_staging(0);
  Crew crew(link, roles, 30);
  CoordinatorLoop loop({.total_steps = 5}, crew, stage.recorder, stage.console);
  return error_of([&] { loop.run(); });
}

void expect_refusal(int sender, const ControlMessage& message, ErrorKind kind, const std::string& complaint) {
  const Error error = refusal(sender, message);
  if (mpi_env().world_rank() != 0) return;
  EXPECT_EQ(error.kind(), kind) << error.what();
  EXPECT_TRUE(says(error, {complaint}));
}

TEST(CoordinatorLoop, AFailureEndsTheRunWithItsKindAndName) {
  ControlMessage message;
  message.mutable_failure()->set_exit_code(exit_code(ErrorKind::not_finite));
  message.mutable_failure()->set_message("the loss is nan");
  expect_refusal(kFollower, message, ErrorKind::not_finite, ") failed: the loss is nan");
  message.mutable_failure()->set_stage("forward");
  message.mutable_failure()->set_sequence(7);
  expect_refusal(kTarget, message, ErrorKind::not_finite, ") failed in 'forward' at batch 7: the loss is nan");
  expect_refusal(kTarget, message, ErrorKind::not_finite, "target 0 (rank 1");
}

TEST(CoordinatorLoop, MessagesThatCannotBeAreRefused) {
  ControlMessage message;
  message.mutable_step_report()->set_step(2);
  expect_refusal(kLead, message, ErrorKind::internal, "reported step 2, expected step 1");
  message.mutable_step_report()->set_step(1);
  expect_refusal(kTarget, message, ErrorKind::internal, "sent step_report, which only a drafter may");
  message.mutable_lease_request()->set_count(1);
  expect_refusal(kLead, message, ErrorKind::internal, "sent lease_request, which only a target may");
  message.mutable_batch_trained()->set_sequence(1);
  expect_refusal(kFollower, message, ErrorKind::internal, "drafter 1 reported batch 1 as trained");  // not granted
  message.mutable_checkpoint_part()->set_step(3);
  expect_refusal(kLead, message, ErrorKind::internal, "step 3 arrived, expected that of step 0");
  message.mutable_checkpoint_part()->set_step(0);
  message.mutable_checkpoint_part()->add_files("state/nothing");
  expect_refusal(kLead, message, ErrorKind::checkpoint, "state/nothing");
  message.mutable_welcome();
  expect_refusal(kTarget, message, ErrorKind::internal, "sent welcome, which is not for a coordinator");
}

TEST(CoordinatorLoop, AnErrorIsToldWithTheStepsThatWereDone) {
  const RoleMap roles = gather_cast();
  ControlLink link(roles);
  if (roles.own_rank() != 0) return;
  Stage stage;
  Crew crew(link, roles, 0.2);
  const CoordinatorLoop loop({.resumed_from = 4, .total_steps = 5}, crew, stage.recorder, stage.console);
  const Verdict verdict = verdict_of(Error(ErrorKind::stall, "m"), &loop);
  EXPECT_EQ(verdict.exit_code, 15);
  EXPECT_EQ(verdict.step, 4);
  EXPECT_EQ(verdict.checkpoint, "") << "this folder holds none";
}

}  // namespace
}  // namespace dflash
