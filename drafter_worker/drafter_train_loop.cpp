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
      sync_(worker),
      store_(std::filesystem::path(worker.config.run().dir()) / "checkpoints"),
      drafters_(worker.links.drafters.size()),
      steps_done_(worker.resume != nullptr ? worker.resume->step() : 0),
      total_steps_(total_steps),
      next_sequence_(steps_done_ * worker.config.train().accumulation_steps() * drafters_ + worker.roles.own_index()) {}

void DrafterTrainLoop::run() {
  if (sync_.leads() && steps_done_ < total_steps_) await_checkpoint_request();
  bool stopped = worker_.resume == nullptr && pass_boundary(0);
  for (int64_t step = steps_done_ + 1; step <= total_steps_ && !stopped; ++step) {
    run_step(step);
    stopped = pass_boundary(step);
  }
  if (next_sequence_ < total_steps_ * worker_.config.train().accumulation_steps() * drafters_) return;  // cut short
  worker_.where().enter("end of the streams");
  parts_.batches.drain(worker_.stall_deadline());
}

void DrafterTrainLoop::run_step(int64_t step) {
  const Stopwatch watch;
  const bool want_metrics = step % worker_.config.log().metrics_every() == 0 || step == 1 || step == total_steps_;
  StepCounts counts;
  counts.queue_level = parts_.batches.level();
  for (int32_t micro = 0; micro < worker_.config.train().accumulation_steps(); ++micro) {
    train_batch(next_sequence_, want_metrics, counts);
    next_sequence_ += drafters_;
  }
  const double lr = parts_.schedule.at(step - 1);
  const StepResult result = parts_.step.finish(lr, [this](const at::Tensor& gradients, double weight_sum) {
    const double total = sync_.sum(gradients, weight_sum);
    worker_.where().enter("optimizer");
    return total;
  });
  if (!std::isfinite(result.loss_sum) || !std::isfinite(result.grad_norm)) {
    throw Error(ErrorKind::not_finite,
                format("step {}: loss {} or gradient norm {} is not finite; try a lower train.lr", step,
                       result.loss_sum / result.weight_sum, result.grad_norm));
  }
  ControlMessage message;
  *message.mutable_step_report() = make_step_report(step, result, counts, lr, watch.elapsed_ns());
  worker_.control.send(message);
}

void DrafterTrainLoop::train_batch(int64_t sequence, bool want_metrics, StepCounts& counts) {
  worker_.where().enter("wait for a batch", sequence);
  const Stopwatch watch;
  const ReceivedBatch received = parts_.batches.receive(sequence, worker_.stall_deadline());
  counts.wait_ns += watch.elapsed_ns();

  worker_.where().enter("train");
  const std::vector<int64_t> eligible = eligible_anchors(received.batch);
  const CounterRandom random(worker_.config.run().seed(), RandomPurpose::anchors, static_cast<uint64_t>(sequence));
  const std::vector<int64_t> anchors = sample_anchors(eligible, worker_.config.train().num_anchors(), random);
  parts_.step.add_batch(received.batch, anchors, want_metrics);
  counts.tokens += received.batch.input_ids.size(0);
  counts.anchors += static_cast<int64_t>(anchors.size());
  counts.eligible_anchors += static_cast<int64_t>(eligible.size());

  ControlMessage message;
  message.mutable_batch_trained()->set_sequence(sequence);
  worker_.control.send(message);
}

bool DrafterTrainLoop::pass_boundary(int64_t step) {
  const Directive directive = sync_.agree(sync_.leads() ? decide(step) : Directive());
  const bool final = directive.stop || step == total_steps_;
  if (directive.save && sync_.leads()) save(step, final);
  return final;
}

Directive DrafterTrainLoop::decide(int64_t step) {
  while (const std::optional<ControlMessage> order = worker_.control.poll()) take_order(*order);
  return {.save = stop_requested_ || step == checkpoint_step_, .stop = stop_requested_};
}

void DrafterTrainLoop::save(int64_t step, bool final) {
  worker_.where().enter("write a checkpoint");
  const int64_t next_sequence = step * worker_.config.train().accumulation_steps() * drafters_;
  const std::vector<std::string> files = write_training_state(
      store_.make_staging(step), parts_.drafter.config(), parts_.parameters, parts_.optimizer, {step, next_sequence});
  ControlMessage message;
  CheckpointPart& part = *message.mutable_checkpoint_part();
  part.set_step(step);
  part.mutable_files()->Add(files.begin(), files.end());
  part.set_final(final);
  worker_.control.send(message);
  log_info(format("checkpoint of step {} written", step));
  if (!final) await_checkpoint_request();
}

void DrafterTrainLoop::await_checkpoint_request() {
  const int64_t known = checkpoint_step_;
  const Deadline deadline = worker_.stall_deadline();
  while (checkpoint_step_ == known) {
    const std::optional<ControlMessage> order = worker_.control.wait(deadline);
    if (!order) throw Error(ErrorKind::stall, "the coordinator did not say which step to save next");
    take_order(*order);
  }
}

void DrafterTrainLoop::take_order(const ControlMessage& message) {
  if (message.has_checkpoint_request()) {
    checkpoint_step_ = message.checkpoint_request().step();
  } else if (message.has_stop_request()) {
    stop_requested_ = true;
  } else {
    throw Error(ErrorKind::internal, format("the coordinator sent {}, which is no order", message_name(message)));
  }
}

}  // namespace dflash
