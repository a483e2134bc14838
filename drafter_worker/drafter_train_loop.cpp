#include "drafter_worker/drafter_train_loop.h"

#include <ATen/Parallel.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stopwatch.h"
#include "common/tensor/torch_device.h"
#include "common/train/anchors.h"
#include "common/train/training_state.h"

namespace dflash {

DrafterTrainLoop::DrafterTrainLoop(const WorkerContext& worker, const DrafterParts& parts, int64_t total_steps)
    : worker_(worker),
      parts_(parts),
      sync_(worker),
      store_(std::filesystem::path(worker.config.run().dir()) / "checkpoints"),
      guard_(worker.config.run().dir(), worker.roles.own_index(),
             {{"drafters", worker.roles.count(Role::drafter)}, {"total_steps", total_steps}}),
      drafters_(worker.roles.count(Role::drafter)),
      steps_done_(worker.resume != nullptr ? worker.resume->step() : 0),
      total_steps_(total_steps),
      next_sequence_(steps_done_ * worker.config.train().accumulation_steps() * drafters_ + worker.roles.own_index()) {}

void DrafterTrainLoop::run() {
  const OnTorchStream torch_computes(parts_.loader.compute(), parts_.device);
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
  counts.queue_level = parts_.batches.level() + (ahead_ ? 1 : 0);
  counts.queue_peak = parts_.batches.take_peak();
  for (int32_t micro = 0; micro < worker_.config.train().accumulation_steps(); ++micro) {
    train_next_batch(step, want_metrics, counts);
    next_sequence_ += drafters_;
  }
  const double lr = parts_.schedule.at(step - 1);
  const StepResult result = parts_.step.finish(lr, [this](const at::Tensor& gradients, double weight_sum) {
    const double total = sync_.sum(gradients, weight_sum);
    worker_.where().enter("optimizer");
    return total;
  });
  ControlMessage message;
  *message.mutable_step_report() = make_step_report(step, result, counts, lr, watch.elapsed_ns());
  worker_.control.send(message);
  finish_step(step, result);
  let_go();
}

void DrafterTrainLoop::train_next_batch(int64_t step, bool want_metrics, StepCounts& counts) {
  let_go();  // before it waits for another: its slot may be the one that the other is to come in
  PreparedBatch batch = next_batch(counts);
  const int64_t sequence = batch.sequence;
  counts.tokens += worker_.config.data().pack_tokens();
  counts.anchors += static_cast<int64_t>(batch.anchors.size());
  counts.eligible_anchors += batch.eligible_anchors;
  worker_.where().enter("train");
  if (batch.loaded) {
    train(std::move(batch), step, want_metrics);
  } else {
    ++counts.skipped_batches;
    parts_.step.spoil();
    note_bad_batch(step, sequence, "the target's hidden states are not finite", batch.statistics);
  }
  ControlMessage message;
  message.mutable_batch_trained()->set_sequence(sequence);
  worker_.control.send(message);
}

DrafterTrainLoop::PreparedBatch DrafterTrainLoop::next_batch(StepCounts& counts) {
  worker_.where().enter("wait for a batch", next_sequence_);
  if (ahead_) return *std::exchange(ahead_, std::nullopt);
  const Stopwatch watch;
  QueuedBatch batch = parts_.batches.pop(worker_.stall_deadline());
  counts.wait_ns += watch.elapsed_ns();
  return prepare(std::move(batch));
}

DrafterTrainLoop::PreparedBatch DrafterTrainLoop::prepare(QueuedBatch&& batch) {
  PreparedBatch prepared;
  prepared.sequence = batch.header.sequence;
  if (batch.header.finite == 0) {
    prepared.statistics = captured_statistics(batch.slot.bytes(), parts_.loader.arriving_layout());
    guard_.keep(prepared.sequence, batch.slot.bytes(), parts_.loader.arriving_layout());
    return prepared;
  }
  const HiddenStateBatch ids = view_slot(batch.slot.bytes(), parts_.loader.layout());
  const std::vector<int64_t> eligible = eligible_anchors(ids);
  const CounterRandom random(worker_.config.run().seed(), RandomPurpose::anchors,
                             static_cast<uint64_t>(prepared.sequence));
  prepared.anchors = sample_anchors(eligible, worker_.config.train().num_anchors(), random);
  prepared.eligible_anchors = static_cast<int64_t>(eligible.size());
  if (!parts_.device.is_cpu()) {
    HiddenStateBatch& kept = ids_[ids_taken_++ % ids_.size()];
    copy_ids(ids, kept);
    prepared.ids = kept;
  }
  prepared.loaded = parts_.loader.load(std::move(batch), worker_.stall_deadline());
  return prepared;
}

void DrafterTrainLoop::train(PreparedBatch&& batch, int64_t step, bool want_metrics) {
  struct Work {
    HiddenStateBatch ids;
    std::vector<int64_t> anchors;
  };
  // Shared with the kernel: on an asynchronous device it may still run when this call gives up.
  const auto work = std::make_shared<const Work>(std::move(batch.ids), std::move(batch.anchors));
  Stream& compute = parts_.loader.compute();
  batch.loaded->launch(compute, [this, work, want_metrics](std::span<std::byte> bytes) {
    at::set_num_threads(parts_.threads);  // the device may have threads of its own
    parts_.step.add_batch(view_batch(bytes, work->ids), work->anchors, want_metrics);
  });
  if (parts_.loader.overlaps()) {
    if (std::optional<QueuedBatch> next = parts_.batches.try_pop()) ahead_ = prepare(std::move(*next));
  }
  batch.loaded->wait(compute, worker_.stall_deadline());
  trained_ = std::move(batch.loaded);
  if (!parts_.step.last_batch_is_finite()) record_trained(step, "the loss is not finite");
}

void DrafterTrainLoop::let_go() {
  if (trained_) std::move(*std::exchange(trained_, std::nullopt)).land(worker_.stall_deadline());
}

void DrafterTrainLoop::record_trained(int64_t step, const std::string& reason) {
  LoadedBatch& batch = trained_.value();
  const int64_t sequence = batch.sequence();
  const auto statistics = std::make_shared<std::map<std::string, Json>>();  // shared as above
  Stream& compute = parts_.loader.compute();
  batch.launch(compute, [this, sequence, statistics](std::span<std::byte> bytes) {
    const at::Tensor on_host = bytes_on_host(bytes, parts_.device);
    const std::span<std::byte> slot(static_cast<std::byte*>(on_host.data_ptr()), bytes.size());
    *statistics = captured_statistics(slot, parts_.loader.layout());
    guard_.keep(sequence, slot, parts_.loader.layout());
  });
  batch.wait(compute, worker_.stall_deadline());
  note_bad_batch(step, sequence, reason, *statistics);
}

HiddenStateBatch DrafterTrainLoop::view_batch(std::span<std::byte> bytes, const HiddenStateBatch& ids) const {
  if (parts_.device.is_cpu()) return view_received_slot(bytes, parts_.loader.layout());
  HiddenStateBatch batch = ids;
  batch.captured = view_captured(bytes, parts_.loader.layout(), parts_.device);
  return batch;
}

void DrafterTrainLoop::note_bad_batch(int64_t step, int64_t sequence, const std::string& reason,
                                      const std::map<std::string, Json>& statistics) {
  bad_step_ = step;
  guard_.write(step, sequence, reason, statistics);
}

void DrafterTrainLoop::finish_step(int64_t step, const StepResult& result) {
  // What one batch was to blame for is written down already, by the drafter that had it.
  if (result.gradients_are_bad || (result.own_is_bad && bad_step_ != step)) {
    const std::map<std::string, Json> numbers{{"loss_sum", result.loss_sum}, {"grad_norm", result.grad_norm}};
    const std::string reason =
        result.own_is_bad ? "the step's loss is not finite" : "the gradients, summed over all drafters, are not finite";
    const int64_t batches = worker_.config.train().accumulation_steps();
    for (int64_t i = batches; i > 0; --i) {
      const int64_t sequence = next_sequence_ - i * drafters_;
      if (trained_ && trained_->sequence() == sequence) {
        record_trained(step, reason);
      } else {
        note_bad_batch(step, sequence, reason, numbers);
      }
    }
  }
  guard_.count(step, result.skipped);
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
