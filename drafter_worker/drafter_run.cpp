#include "drafter_worker/drafter_run.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/config/run_config.h"
#include "common/plan/link_plan.h"
#include "common/plan/recording_plan.h"
#include "common/plan/run_device.h"
#include "common/plan/run_port.h"
#include "common/plan/state_plan.h"
#include "common/tensor/torch_device.h"
#include "common/train/training_state.h"
#include "drafter_worker/drafter_train_loop.h"
#include "drafter_worker/trained_drafter.h"

namespace dflash {
namespace {

std::vector<BufferedHSQueue::Link> connect_targets(const WorkerContext& worker, const RunPlan& plan, Device& device,
                                                   NcclPort* port) {
  std::vector<BufferedHSQueue::Link> links;
  for (const int rank : worker.roles.ranks_of(Role::target)) {
    const auto bootstrap = worker.links->bootstraps.connect(rank);
    const ChannelKind kind = link_kind(worker.config, worker.roles, rank, worker.roles.own_rank());
    const ChannelPeer peer{
        .bootstrap = *bootstrap, .comm = worker.links->batches, .rank = rank, .device = &device, .port = port};
    links.push_back(
        {make_receiver(kind, link_shape(plan, kind), peer, worker.stall_deadline()), worker.roles.describe(rank)});
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

/// The folder data.recorded in the place of all targets.
BufferedHSQueue::Link recorded_link(const RunConfig& config, const RunPlan& plan, const HsQueueSettings& settings,
                                    int64_t total_steps) {
  RecordedFolderReader folder = open_recording(config, plan);
  const StoredForm form = form_of(folder, plan.layout);
  const ReplayReceiver::Part part{.first = settings.first_sequence,
                                  .stride = plan.drafters,
                                  .end = total_steps * config.train().accumulation_steps() * plan.drafters};
  const std::string name = format("the recorded folder {}", folder.folder().string());
  return {std::make_unique<ReplayReceiver>(std::move(folder), form, part, static_cast<size_t>(plan.slots_per_link)),
          name};
}

void resume_training(const ResumeFrom& resume, DrafterParameters& parameters, Optimizer& optimizer) {
  const TrainingPosition found = read_training_state(resume.folder(), parameters, optimizer);
  if (found.step == resume.step() && found.next_sequence == resume.next_sequence()) return;
  throw Error(ErrorKind::checkpoint,
              format("{}: its state is that of step {} and batch {}, its manifest says {} and {}", resume.folder(),
                     found.step, found.next_sequence, resume.step(), resume.next_sequence()));
}

/// An error of a receiver thread comes out of the queue: it happened where that thread was.
void train_until_done(const WorkerContext& worker, DrafterTrainLoop& loop, const BufferedHSQueue& batches) {
  try {
    loop.run();
  } catch (const std::exception&) {
    if (const auto where = batches.failed_at()) worker.where().enter(where->stage, where->sequence);
    throw;
  }
}

void train(const WorkerContext& worker, const RunPlan& plan, TrainedDrafter& trained, Device& device,
           std::vector<BufferedHSQueue::Link> links, int64_t total_steps) {
  const RunConfig& config = worker.config;
  const LrSchedule schedule(config.train().lr(), config.train().warmup_ratio(), total_steps);
  const HsQueueSettings settings = queue_settings(worker, plan, total_steps);
  if (plan.targets == 0) links.push_back(recorded_link(config, plan, settings, total_steps));
  BufferedHSQueue batches(std::move(links), plan.layout, settings);
  BatchLoader loader(device, plan.layout, plan_noise(config, plan.drafters, total_steps));
  DrafterTrainLoop loop(worker,
                        {trained.model, trained.parameters, trained.optimizer, trained.step, batches, loader, schedule,
                         plan.drafter_threads, trained.parameters.values().device()},
                        total_steps);
  const DrainAtEnd drain(device);  // before the loop goes, which kernels use
  const uint64_t allocator_calls = device.stats().allocator_calls;
  train_until_done(worker, loop, batches);
  const DeviceStats memory = device.stats();
  log_info(format("{} of hand-off memory; {} allocations of it while it trained",
                  bytes_text(static_cast<int64_t>(memory.allocated_bytes)), memory.allocator_calls - allocator_calls));
}

}  // namespace

void run_drafter(const WorkerContext& worker) {
  const RunConfig& config = worker.config;
  const RunPlan plan = plan_of_run(config, worker.roles);
  at::set_num_threads(plan.drafter_threads);
  worker.where().enter("connect");
  const RunPlace place = place_on_node(config.run(), worker.roles);
  const at::Device torch_device = load_torch_device(place.cuda_ordinal);
  Device device = make_run_device(config.run(), place);
  const auto port =
      worker.links ? make_run_port(config, worker.roles, worker.links->port_messages, device, place) : nullptr;
  std::vector<BufferedHSQueue::Link> links = connect_targets(worker, plan, device, port.get());
  worker.where().enter("load");
  TrainedDrafter trained(config, plan, torch_device);
  if (worker.resume != nullptr) resume_training(*worker.resume, trained.parameters, trained.optimizer);
  const Start start = report_ready(worker.control, Role::drafter, {config_hash(config), plan.layout.hash(), 0},
                                   worker.stall_deadline());
  log_to_file(std::filesystem::path(config.run().dir()) / "logs" / format("drafter-{}.log", worker.roles.own_index()));
  log_info(place.text);
  train(worker, plan, trained, device, std::move(links), start.total_steps());
  worker.await_stop();
}

}  // namespace dflash
