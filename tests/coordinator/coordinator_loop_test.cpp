// Under mpirun with three ranks: the real loop on rank 0, a target and a drafter played by the test on ranks 1 and 2.
#include "coordinator/coordinator_loop.h"

#include <gtest/gtest.h>

#include <sstream>

#include "common/base/json.h"
#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr int kTarget = 1, kDrafter = 2;

ControlMessage next_message(ControlLink& link) {
  const std::optional<Incoming> incoming = link.wait(Deadline::after(30s));
  if (!incoming) throw Error(ErrorKind::stall, "no message came");
  return incoming->message;
}

/// Asks for one batch after the other and "computes" it: the drafter is told its number.
void play_target(ControlLink& link) {
  ControlMessage request;
  request.mutable_lease_request()->set_count(2);
  bool last = false;
  while (!last) {
    link.send(0, request);
    const LeaseGrant grant = next_message(link).lease_grant();
    for (const int64_t sequence : grant.sequences()) {
      ControlMessage computed;
      computed.mutable_batch_trained()->set_sequence(sequence);
      link.send(kDrafter, computed);
    }
    last = grant.last();
  }
  EXPECT_TRUE(next_message(link).has_stop());
}

/// A drafter whose network is its step number.
class FakeDrafter {
 public:
  FakeDrafter(ControlLink& link, int64_t batches_per_step, const std::string& run_folder)
      : link_(link), batches_per_step_(batches_per_step), store_(run_folder + "/checkpoints") {}

  void play() {
    for (int64_t step = 0; !stopped_; ++step) {
      if (step > 0) train(step);
      while (!stopped_ && asked_step_ < step) take_message();
      if (asked_step_ == step) save(step);
    }
  }

 private:
  void take_message() {
    const ControlMessage message = next_message(link_);
    if (message.has_checkpoint_request()) asked_step_ = message.checkpoint_request().step();
    if (message.has_batch_trained()) {
      EXPECT_EQ(message.batch_trained().sequence(), computed_++);
    }
    stopped_ |= message.has_stop();
  }
  void train(int64_t step) {
    for (int64_t micro_step = 0; micro_step < batches_per_step_; ++micro_step) {
      while (!stopped_ && computed_ <= trained_) take_message();
      ControlMessage message;
      message.mutable_batch_trained()->set_sequence(trained_++);
      if (!stopped_) link_.send(0, message);
    }
    ControlMessage message;
    StepReport& report = *message.mutable_step_report();
    report.set_step(step);
    report.set_loss_sum(static_cast<double>(step));
    report.set_weight_sum(2);
    if (!stopped_) link_.send(0, message);
  }
  void save(int64_t step) {
    write_text(store_.make_staging(step) / "state/step", std::to_string(step));
    ControlMessage message;
    message.mutable_checkpoint_part()->set_step(step);
    message.mutable_checkpoint_part()->add_files("state/step");
    link_.send(0, message);
  }

  ControlLink& link_;
  const int64_t batches_per_step_;
  const CheckpointStore store_;
  int64_t asked_step_ = -1, computed_ = 0, trained_ = 0;
  bool stopped_ = false;
};

/// What rank 0 needs for a loop.
struct Stage {
  TempFolder temp;
  std::ostringstream out;
  Console console{out, false};
  RunRecorder recorder{temp.path() / "run", "", {}};
};

void check_whole_run(const Stage& stage) {
  const CheckpointStore store(stage.recorder.checkpoints_folder());
  EXPECT_EQ(store.committed_steps(), (std::vector<int64_t>{0, 4, 5}));  // 2 was pruned
  for (const int64_t step : {0, 4, 5}) {
    const CheckpointManifest manifest = store.verify(step);
    EXPECT_EQ(manifest.next_sequence(), step * 3);
    EXPECT_EQ(manifest.config_hash(), "abc");
    EXPECT_EQ(read_text(store.final_folder(step) / "state/step"), std::to_string(step));
  }
  std::istringstream lines(read_text(stage.temp.path() / "run/metrics.jsonl"));
  int64_t steps = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json metrics = Json::parse(line);
    EXPECT_EQ(metrics["step"], ++steps);
    EXPECT_EQ(metrics["loss"], static_cast<double>(steps) / 2);
  }
  EXPECT_EQ(steps, 5);
  for (const char* text : {"checkpoint of step 0: ", "step 1/5 (20 %)", "checkpoint of step 2: ", "step 5/5 (100 %)"}) {
    EXPECT_NE(stage.out.str().find(text), std::string::npos) << text << " in " << stage.out.str();
  }
}

/// Rank 0 tells the drafter where its run lies, on a link of its own: the target's messages must not come in between.
std::string agree_on_folder(const RoleMap& roles, const std::filesystem::path& folder) {
  ControlLink link(roles);
  if (roles.own_rank() == kDrafter) return next_message(link).welcome().config().run().dir();
  if (roles.own_rank() == 0) {
    ControlMessage message;
    message.mutable_welcome()->mutable_config()->mutable_run()->set_dir(folder.string());
    link.send(kDrafter, message);
    link.flush(Deadline::after(30s));
  }
  return "";
}

void lead_whole_run(ControlLink& link, const RoleMap& roles, Stage& stage, int64_t queue_depth) {
  const LoopSettings settings = {.total_steps = 5,
                                 .batches_per_step = 3,
                                 .queue_depth = queue_depth,
                                 .checkpoint_every_steps = 2,
                                 .stall_timeout_s = 30,
                                 .config_hash = "abc"};
  CoordinatorLoop(settings, link, roles, stage.recorder, stage.console).run();
  check_whole_run(stage);
}

TEST(CoordinatorLoop, AWholeRun) {
  const RoleMap roles = gather_test_roles();
  for (const int64_t queue_depth : {1, 4}) {
    Stage stage;
    const std::string folder = agree_on_folder(roles, stage.temp.path() / "run");
    ControlLink link(roles);
    if (roles.own_rank() == 0) lead_whole_run(link, roles, stage, queue_depth);
    if (roles.own_rank() == kTarget) play_target(link);
    if (roles.own_rank() == kDrafter) FakeDrafter(link, 3, folder).play();
  }
}

/// Rank `sender` says one thing; the loop must end with this error.
void expect_refusal(int sender, const ControlMessage& message, ErrorKind kind, const std::string& complaint) {
  const RoleMap roles = gather_test_roles();
  ControlLink link(roles);
  if (roles.own_rank() == kDrafter) {
    EXPECT_EQ(next_message(link).checkpoint_request().step(), 0);
  }
  if (roles.own_rank() == sender && message.body_case() != ControlMessage::BODY_NOT_SET) {
    link.send(0, message);
    link.flush(Deadline::after(30s));
  }
  if (roles.own_rank() != 0) return;
  Stage stage;
  LoopSettings settings;
  settings.total_steps = 5;
  settings.stall_timeout_s = sender == 0 ? 0.3 : 30;
  CoordinatorLoop loop(settings, link, roles, stage.recorder, stage.console);
  expect_error(kind, complaint, [&] { loop.run(); });
}

TEST(CoordinatorLoop, AFailureEndsTheRunWithItsKindAndName) {
  ControlMessage message;
  message.mutable_failure()->set_exit_code(exit_code(ErrorKind::not_finite));
  message.mutable_failure()->set_message("the loss is nan");
  expect_refusal(kDrafter, message, ErrorKind::not_finite, ") failed: the loss is nan");
  message.mutable_failure()->set_stage("forward");
  message.mutable_failure()->set_sequence(7);
  expect_refusal(kTarget, message, ErrorKind::not_finite, ") failed in forward at batch 7: the loss is nan");
  expect_refusal(kTarget, message, ErrorKind::not_finite, "target 0 (rank 1");
}

TEST(CoordinatorLoop, ASilentDrafterIsAStall) {
  expect_refusal(0, {}, ErrorKind::stall, "has said nothing for run.stall_timeout_s = 0.3 s; last heard: target 0");
}

TEST(CoordinatorLoop, MessagesThatCannotBeAreRefused) {
  ControlMessage message;
  message.mutable_step_report()->set_step(2);
  expect_refusal(kDrafter, message, ErrorKind::internal, "reported step 2 of 5, expected step 1");
  message.mutable_step_report()->set_step(1);
  expect_refusal(kTarget, message, ErrorKind::internal, "sent step_report, which only a drafter may");
  message.mutable_lease_request()->set_count(1);
  expect_refusal(kDrafter, message, ErrorKind::internal, "sent lease_request, which only a target may");
  message.mutable_batch_trained()->set_sequence(0);
  expect_refusal(kDrafter, message, ErrorKind::internal, "batch 0 was reported as trained");
  message.mutable_checkpoint_part()->set_step(3);
  expect_refusal(kDrafter, message, ErrorKind::internal, "step 3 arrived, expected that of step 0");
  message.mutable_checkpoint_part()->set_step(0);
  message.mutable_checkpoint_part()->add_files("state/nothing");
  expect_refusal(kDrafter, message, ErrorKind::checkpoint, "state/nothing");
  message.mutable_welcome();
  expect_refusal(kTarget, message, ErrorKind::internal, "sent welcome, which is not for a coordinator");
}

}  // namespace
}  // namespace dflash
