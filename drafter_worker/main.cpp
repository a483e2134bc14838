// drafter_worker: trains the drafter on the hidden states of all targets. It is told everything by the coordinator.

#include <ATen/Parallel.h>

#include <algorithm>

#include "common/base/allocator.h"
#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/config/run_config.h"
#include "common/mpi/worker_main.h"
#include "common/plan/link_plan.h"
#include "common/plan/run_device.h"
#include "common/plan/state_plan.h"
#include "common/train/training_state.h"
#include "drafter_worker/drafter_train_loop.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "drafter_worker: trains the drafter of a dflash run on the hidden states that the targets send.\n"
    "It takes its settings from the coordinator of the same mpirun:\n"
    "  mpirun -n 1 coordinator run.toml : -n T target_worker : -n D drafter_worker\n"
    "`dflash train run.toml` composes that line for you.\n";

std::vector<BufferedHSQueue::Link> connect_targets(const WorkerContext& worker, const RunPlan& plan) {
  std::vector<BufferedHSQueue::Link> links;
  for (const int rank : worker.roles.ranks_of(Role::target)) {
    const auto bootstrap = worker.links.bootstraps.connect(rank);
    const ChannelKind kind = link_kind(worker.config, worker.roles, rank, worker.roles.own_rank());
    links.push_back(
        {make_receiver(kind, link_shape(plan, kind), {*bootstrap, worker.links.batches, rank}, worker.stall_deadline()),
         worker.roles.describe(rank)});
  }
  return links;
}

HsQueueSettings queue_settings(const WorkerContext& worker, const RunPlan& plan, int64_t total_steps) {
  const int64_t steps_done = worker.resume != nullptr ? worker.resume->step() : 0;
  const int64_t batches_of_step = worker.config.train().accumulation_steps();
  const int64_t min_ready = std::min(plan.min_ready, (total_steps - steps_done) * batches_of_step);
  log_info(format("training begins when {} batches are ready", min_ready));
  return {.first_sequence = steps_done * batches_of_step * plan.drafters + worker.roles.own_index(),
          .drafters = plan.drafters,
          .min_ready = min_ready};
}

void resume_training(const ResumeFrom& resume, DrafterParameters& parameters, Optimizer& optimizer) {
  const TrainingPosition found = read_training_state(resume.folder(), parameters, optimizer);
  if (found.step == resume.step() && found.next_sequence == resume.next_sequence()) return;
  throw Error(ErrorKind::checkpoint,
              format("{}: its state is that of step {} and batch {}, its manifest says {} and {}", resume.folder(),
                     found.step, found.next_sequence, resume.step(), resume.next_sequence()));
}

/// What is trained, and the step that trains it.
struct Trained {
  const DrafterModel& drafter;
  DrafterParameters& parameters;
  Optimizer& optimizer;
  TrainStep& step;
};

void train(const WorkerContext& worker, const RunPlan& plan, const Trained& trained,
           std::vector<BufferedHSQueue::Link> links, int64_t total_steps) {
  const RunConfig& config = worker.config;
  const LrSchedule schedule(config.train().lr(), config.train().warmup_ratio(), total_steps);
  BufferedHSQueue batches(std::move(links), plan.layout, queue_settings(worker, plan, total_steps));
  Device device = make_run_device(config.run(), worker.roles.own_rank());  // its end waits for what still runs on it
  BatchLoader loader(device, plan.layout, plan_noise(config, plan.drafters, total_steps));
  const auto& [drafter, parameters, optimizer, step] = trained;
  DrafterTrainLoop loop(worker, {drafter, parameters, optimizer, step, batches, loader, schedule, plan.drafter_threads},
                        total_steps);
  const uint64_t allocator_calls = device.stats().allocator_calls;
  loop.run();
  const DeviceStats memory = device.stats();
  log_info(format("{} of hand-off memory; {} allocations of it while it trained",
                  bytes_text(static_cast<int64_t>(memory.allocated_bytes)), memory.allocator_calls - allocator_calls));
}

void run_drafter(const WorkerContext& worker) {
  const RunConfig& config = worker.config;
  const RunPlan plan = plan_of_run(config, worker.roles);
  at::set_num_threads(plan.drafter_threads);
  worker.where().enter("connect");
  std::vector<BufferedHSQueue::Link> links = connect_targets(worker, plan);
  worker.where().enter("load");
  ModelWeights target_weights(config.target().model());
  const TargetEnds ends = load_target_ends(plan.target, target_weights, at::kFloat);

  DrafterParameters parameters(plan.drafter);
  const DrafterModel drafter = DrafterModel::over(plan.drafter, parameters);
  Optimizer optimizer(parameters.values(), {config.train().weight_decay(), config.train().max_grad_norm()});
  if (worker.resume != nullptr) {
    resume_training(*worker.resume, parameters, optimizer);
  } else {
    parameters.initialize(config.run().seed(), config.drafter().qk_norm_init());
  }
  TrainStep step(drafter, parameters, optimizer, ends, block_rules(plan.drafter, plan.decay_gamma));
  const Start start = report_ready(worker.control, Role::drafter, {config_hash(config), plan.layout.hash(), 0},
                                   worker.stall_deadline());
  log_to_file(std::filesystem::path(config.run().dir()) / "logs" / format("drafter-{}.log", worker.roles.own_index()));
  train(worker, plan, {drafter, parameters, optimizer, step}, std::move(links), start.total_steps());
  worker.await_stop();
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  return dflash::run_worker(argc, argv, dflash::Role::drafter, dflash::kHelp, dflash::run_drafter);
}
