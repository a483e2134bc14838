// target_worker: one frozen target. It is told everything by the coordinator; wiring only.

#include <ATen/Parallel.h>

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
#include "common/tensor/tensor_file.h"
#include "target_worker/target_forward_loop.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "target_worker: runs the frozen target of a dflash run and sends its hidden states to the drafters.\n"
    "It takes its settings from the coordinator of the same mpirun:\n"
    "  mpirun -n 1 coordinator run.toml : -n T target_worker : -n D drafter_worker\n"
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

std::string describe(const TargetForwardLoop& loop) {
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  const TargetTimes& forward = loop.times();
  const PostprocessTimes& postprocess = loop.postprocess_times();
  return format(
      "{} batches; seconds: waiting for packs {:.1f}, forward {:.1f}, waiting for the post-processing {:.1f}; its own: "
      "waiting for slots {:.1f}, packing {:.1f}",
      postprocess.batches, seconds(forward.pack_wait_ns), seconds(forward.forward_ns),
      seconds(forward.postprocess_wait_ns), seconds(postprocess.slot_wait_ns), seconds(postprocess.pack_hidden_ns));
}

/// One channel to each drafter, in their order.
std::vector<std::unique_ptr<Sender>> connect_drafters(const WorkerContext& worker, const RunPlan& plan) {
  std::vector<std::unique_ptr<Sender>> senders;
  for (const int rank : worker.roles.ranks_of(Role::drafter)) {
    const auto bootstrap = worker.links.bootstraps.connect(rank);
    const ChannelKind kind = link_kind(worker.config, worker.roles, worker.roles.own_rank(), rank);
    senders.push_back(
        make_sender(kind, link_shape(plan, kind), {*bootstrap, worker.links.batches, rank}, worker.stall_deadline()));
  }
  return senders;
}

void run_target(const WorkerContext& worker) {
  const RunConfig& config = worker.config;
  const RunPlan plan = plan_of_run(config, worker.roles);
  at::set_num_threads(plan.target_threads);
  worker.where().enter("connect");
  const std::vector<std::unique_ptr<Sender>> channels = connect_drafters(worker, plan);
  worker.where().enter("load");
  const TargetModel target = load_target(config, plan);
  Documents documents = load_own_documents(config, plan);
  const AgreedHashes hashes{config_hash(config), plan.layout.hash(), documents.hash()};
  PreloadedDataset dataset(std::move(documents), plan.layout.pack_tokens, config.run().seed(),
                           plan_document_ids(config.pipeline()));
  const Start start = report_ready(worker.control, Role::target, hashes, worker.stall_deadline());
  log_to_file(std::filesystem::path(config.run().dir()) / "logs" / format("target-{}.log", worker.roles.own_index()));

  std::vector<Sender*> senders;
  for (const auto& channel : channels) senders.push_back(channel.get());
  PackPrefetcher prefetcher(worker, dataset);
  Device device = make_run_device(config.run(), worker.roles.own_rank());
  TargetForwardLoop loop(worker, device, target, plan.layout, plan_noise(config, plan.drafters, start.total_steps()),
                         senders);
  loop.run(prefetcher.packs());
  prefetcher.join();
  log_info(describe(loop));
  log_info(format("{} of hand-off memory; {} allocations of it after the first batch",
                  bytes_text(static_cast<int64_t>(device.stats().allocated_bytes)), loop.times().allocator_calls));
  worker.await_stop();
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  return dflash::run_worker(argc, argv, dflash::Role::target, dflash::kHelp, dflash::run_target);
}
