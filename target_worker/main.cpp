// target_worker: one frozen target. It is told everything by the coordinator; wiring only.

#include <ATen/Parallel.h>

#include "common/base/allocator.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/config/run_config.h"
#include "common/mpi/worker_main.h"
#include "common/plan/data_plan.h"
#include "common/plan/link_plan.h"
#include "common/plan/run_device.h"
#include "common/plan/run_port.h"
#include "common/plan/state_plan.h"
#include "common/tensor/torch_device.h"
#include "target_worker/record_alone.h"
#include "target_worker/target_run.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "target_worker: runs the frozen target of a dflash run and sends its hidden states to the drafters.\n"
    "It takes its settings from the coordinator of the same mpirun:\n"
    "  mpirun -n 1 coordinator run.toml : -n T target_worker : -n D drafter_worker\n"
    "`dflash train run.toml` composes that line for you.\n\n"
    "Alone, it records its batches into a folder: target_worker --solo --help.\n";

/// One channel to each drafter, in their order.
std::vector<std::unique_ptr<Sender>> connect_drafters(const WorkerContext& worker, const RunPlan& plan, Device& device,
                                                      NcclPort* port) {
  std::vector<std::unique_ptr<Sender>> senders;
  for (const int rank : worker.roles.ranks_of(Role::drafter)) {
    const auto bootstrap = worker.links->bootstraps.connect(rank);
    const ChannelKind kind = link_kind(worker.config, worker.roles, worker.roles.own_rank(), rank);
    const ChannelPeer peer{
        .bootstrap = *bootstrap, .comm = worker.links->batches, .rank = rank, .device = &device, .port = port};
    senders.push_back(make_sender(kind, link_shape(plan, kind), peer, worker.stall_deadline()));
  }
  return senders;
}

void run_target(const WorkerContext& worker) {
  const RunConfig& config = worker.config;
  const RunPlan plan = plan_of_run(config, worker.roles);
  at::set_num_threads(plan.target_threads);
  worker.where().enter("connect");
  const RunPlace place = place_on_node(config.run(), worker.roles);
  const at::Device torch_device = load_torch_device(place.cuda_ordinal);
  Device device = make_run_device(config.run(), place);
  const auto port = make_run_port(config, worker.roles, worker.links->port_messages, device, place);
  const std::vector<std::unique_ptr<Sender>> channels = connect_drafters(worker, plan, device, port.get());
  worker.where().enter("load");
  const TargetModel target = load_target(config, plan, torch_device);
  DataLedger ledger;
  Documents documents = load_run_documents(config, plan, ledger);
  const AgreedHashes hashes{config_hash(config), plan.layout.hash(), documents.hash()};
  PreloadedDataset dataset(std::move(documents), plan.layout.pack_tokens, config.run().seed(),
                           plan_document_ids(config.pipeline()));
  const Start start = report_ready(worker.control, Role::target, hashes, worker.stall_deadline());
  log_to_file(std::filesystem::path(config.run().dir()) / "logs" / format("target-{}.log", worker.roles.own_index()));

  std::vector<Sender*> senders;
  for (const auto& channel : channels) senders.push_back(channel.get());
  log_info(place.text);
  compute_batches(
      worker, plan,
      {device, torch_device, target, dataset, plan_noise(config, plan.drafters, start.total_steps()), senders});
  worker.await_stop();
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  if (dflash::is_solo(argc, argv)) return dflash::record_alone(argc, argv);
  return dflash::run_worker(argc, argv, dflash::Role::target, dflash::kHelp, dflash::run_target);
}
