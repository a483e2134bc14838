// drafter_worker: trains the drafter on the hidden states of all targets. It is told everything by the coordinator.

#include <ATen/Parallel.h>

#include "common/base/allocator.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/channel/shm_channel.h"
#include "common/config/run_config.h"
#include "common/mpi/handshake.h"
#include "common/mpi/worker_main.h"
#include "common/plan/link_shape.h"
#include "common/plan/run_plan.h"
#include "drafter_worker/drafter_train_loop.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "drafter_worker: trains the drafter of a dflash run on the hidden states that the targets send.\n"
    "It takes its settings from the coordinator of the same mpirun:\n"
    "  mpirun -n 1 coordinator run.toml : -n T target_worker : -n 1 drafter_worker\n"
    "`dflash train run.toml` composes that line for you.\n";

std::vector<BatchReceiver::Link> connect_targets(const WorkerContext& worker, const RunPlan& plan) {
  std::vector<BatchReceiver::Link> links;
  for (const int rank : worker.roles.ranks_of(Role::target)) {
    const auto bootstrap = worker.bootstraps.connect(rank);
    links.push_back(
        {make_shm_receiver(link_shape(plan), *bootstrap, worker.stall_deadline()), worker.roles.describe(rank)});
  }
  return links;
}

void run_drafter(const WorkerContext& worker) {
  const RunConfig& config = worker.config;
  const RunPlan plan = make_run_plan(
      config, read_model_config(config.target().model()), static_cast<int>(worker.roles.ranks_of(Role::target).size()),
      static_cast<int>(worker.roles.ranks_of(Role::drafter).size()), read_machine_facts());
  at::set_num_threads(plan.drafter_threads);
  BatchReceiver batches(connect_targets(worker, plan), plan.layout);
  worker.where.stage = "load";
  ModelWeights target_weights(config.target().model());
  const TargetEnds ends = load_target_ends(plan.target, target_weights, at::kFloat);

  DrafterParameters parameters(plan.drafter);
  parameters.initialize(config.run().seed(), config.drafter().qk_norm_init());
  const DrafterModel drafter = DrafterModel::over(plan.drafter, parameters);
  Optimizer optimizer(parameters.values(), {config.train().weight_decay(), config.train().max_grad_norm()});
  TrainStep step(drafter, parameters, optimizer, ends,
                 {plan.drafter.block_size, plan.drafter.mask_token_id, plan.decay_gamma});

  const Start start =
      report_ready(worker.link, worker.roles, {config_hash(config), plan.layout.hash(), 0}, worker.stall_deadline());
  log_to_file(std::filesystem::path(config.run().dir()) / "logs" / format("drafter-{}.log", worker.roles.own_index()));
  const LrSchedule schedule(config.train().lr(), config.train().warmup_ratio(), start.total_steps());
  DrafterTrainLoop loop(worker, {drafter, parameters, optimizer, step, batches, schedule}, start.total_steps());
  loop.run();
  worker.await_stop();
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  return dflash::run_worker(argc, argv, dflash::Role::drafter, dflash::kHelp, dflash::run_drafter);
}
