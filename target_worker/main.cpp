// target_worker: one frozen target. It is told everything by the coordinator; wiring only.

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
#include "common/tensor/tensor_file.h"
#include "target_worker/target_forward_loop.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "target_worker: runs the frozen target of a dflash run and sends its hidden states to the drafter.\n"
    "It takes its settings from the coordinator of the same mpirun:\n"
    "  mpirun -n 1 coordinator run.toml : -n T target_worker : -n 1 drafter_worker\n"
    "`dflash train run.toml` composes that line for you.\n";

Documents load_own_documents(const RunConfig& config, const RunPlan& plan) {
  DataLedger ledger;
  return load_documents({config.data().files().begin(), config.data().files().end()}, plan.target.vocab_size,
                        plan.layout.pack_tokens, ledger);
}

TargetModel load_target(const RunConfig& config, const RunPlan& plan) {
  ModelWeights weights(config.target().model());
  const int64_t layers =
      plan.layout.captured_layer_ids.back() + 1;  // the forward stops behind the deepest captured layer
  return {plan.target, weights, scalar_type(plan.compute_dtype), layers};
}

std::string describe(const TargetTimes& times) {
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  return format(
      "{} batches; seconds: waiting for packs {:.1f}, forward {:.1f}, waiting for slots {:.1f}, packing {:.1f}",
      times.batches, seconds(times.pack_wait_ns), seconds(times.forward_ns), seconds(times.slot_wait_ns),
      seconds(times.pack_hidden_ns));
}

void run_target(const WorkerContext& worker) {
  const RunConfig& config = worker.config;
  const RunPlan plan = make_run_plan(
      config, read_model_config(config.target().model()), static_cast<int>(worker.roles.ranks_of(Role::target).size()),
      static_cast<int>(worker.roles.ranks_of(Role::drafter).size()), read_machine_facts());
  at::set_num_threads(plan.target_threads);
  const auto bootstrap = worker.bootstraps.connect(worker.roles.ranks_of(Role::drafter).front());
  const auto sender = make_shm_sender(link_shape(plan), *bootstrap, worker.stall_deadline());
  worker.where.stage = "load";
  const TargetModel target = load_target(config, plan);
  Documents documents = load_own_documents(config, plan);
  const AgreedHashes hashes{config_hash(config), plan.layout.hash(), documents.hash()};
  PreloadedDataset dataset(std::move(documents), plan.layout.pack_tokens, config.run().seed());
  (void)report_ready(worker.link, worker.roles, hashes, worker.stall_deadline());
  log_to_file(std::filesystem::path(config.run().dir()) / "logs" / format("target-{}.log", worker.roles.own_index()));

  PackPrefetcher prefetcher(worker, dataset);
  TargetForwardLoop loop(worker, target, plan.layout, *sender);
  loop.run(prefetcher.packs());
  prefetcher.join();
  log_info(describe(loop.times()));
  worker.await_stop();
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  return dflash::run_worker(argc, argv, dflash::Role::target, dflash::kHelp, dflash::run_target);
}
