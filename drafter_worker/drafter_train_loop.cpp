#include "drafter_worker/drafter_train_loop.h"

#include <cmath>
#include <filesystem>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stopwatch.h"
#include "common/train/anchors.h"
#include "common/train/training_state.h"

namespace dflash {

DrafterTrainLoop::DrafterTrainLoop(const WorkerContext& worker, const DrafterParts& parts, int64_t total_steps)
    : worker_(worker),
      parts_(parts),
      store_(std::filesystem::path(worker.config.run().dir()) / "checkpoints"),
      total_steps_(total_steps) {}

void DrafterTrainLoop::run() {
  await_checkpoint_request();
  save_if_due(0);
  for (int64_t step = 1; step <= total_steps_; ++step) {
    run_step(step);
    save_if_due(step);
  }
  worker_.where.stage = "end of the streams";
  parts_.batches.drain(worker_.stall_deadline());
}

void DrafterTrainLoop::run_step(int64_t step) {
  const Stopwatch watch;
  const bool want_metrics = step % worker_.config.log().metrics_every() == 0 || step == 1 || step == total_steps_;
  StepCounts counts;
  counts.queue_level = parts_.batches.level();
  for (int32_t micro = 0; micro < worker_.config.train().accumulation_steps(); ++micro) {
    train_batch(next_sequence_++, want_metrics, counts);
  }
  worker_.where.stage = "optimizer";
  const double lr = parts_.schedule.at(step - 1);
  const StepResult result = parts_.step.finish(lr);
  if (!std::isfinite(result.loss_sum) || !std::isfinite(result.grad_norm)) {
    throw Error(ErrorKind::not_finite,
                format("step {}: loss {} or gradient norm {} is not finite; try a lower train.lr", step,
                       result.loss_sum / result.weight_sum, result.grad_norm));
  }
  ControlMessage message;
  *message.mutable_step_report() = make_step_report(step, result, counts, lr, watch.elapsed_ns());
  send(message);
}

void DrafterTrainLoop::train_batch(int64_t sequence, bool want_metrics, StepCounts& counts) {
  worker_.where = {"wait for a batch", sequence};
  const Stopwatch watch;
  const ReceivedBatch received = parts_.batches.receive(sequence, worker_.stall_deadline());
  counts.wait_ns += watch.elapsed_ns();

  worker_.where.stage = "train";
  const std::vector<int64_t> eligible = eligible_anchors(received.batch);
  const CounterRandom random(worker_.config.run().seed(), RandomPurpose::anchors, static_cast<uint64_t>(sequence));
  const std::vector<int64_t> anchors = sample_anchors(eligible, worker_.config.train().num_anchors(), random);
  parts_.step.add_batch(received.batch, anchors, want_metrics);
  counts.tokens += received.batch.input_ids.size(0);
  counts.anchors += static_cast<int64_t>(anchors.size());
  counts.eligible_anchors += static_cast<int64_t>(eligible.size());

  ControlMessage message;
  message.mutable_batch_trained()->set_sequence(sequence);
  send(message);
}

void DrafterTrainLoop::save_if_due(int64_t step) {
  if (step != checkpoint_step_) return;
  worker_.where.stage = "write a checkpoint";
  const std::vector<std::string> files = write_training_state(
      store_.make_staging(step), parts_.drafter.config(), parts_.parameters, parts_.optimizer, {step, next_sequence_});
  ControlMessage message;
  message.mutable_checkpoint_part()->set_step(step);
  message.mutable_checkpoint_part()->mutable_files()->Add(files.begin(), files.end());
  send(message);
  log_info(format("checkpoint of step {} written", step));
  if (step < total_steps_) await_checkpoint_request();
}

void DrafterTrainLoop::await_checkpoint_request() {
  const auto incoming = worker_.link.wait(worker_.stall_deadline());
  if (!incoming || !incoming->message.has_checkpoint_request()) {
    throw Error(ErrorKind::stall, "the coordinator did not say which step to save next");
  }
  checkpoint_step_ = incoming->message.checkpoint_request().step();
}

void DrafterTrainLoop::send(const ControlMessage& message) const {
  worker_.link.send(worker_.roles.coordinator_rank(), message);
}

}  // namespace dflash
