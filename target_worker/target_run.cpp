#include "target_worker/target_run.h"

#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/plan/run_device.h"
#include "common/tensor/tensor_file.h"
#include "target_worker/pack_prefetcher.h"

namespace dflash {
namespace {

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

/// An error of the prefetch thread comes out of the loop's queue: it happened where that thread was.
void compute_until_done(const WorkerContext& worker, TargetForwardLoop& loop, PackPrefetcher& prefetcher) {
  try {
    loop.run(prefetcher.packs());
  } catch (const std::exception&) {
    const Whereabouts& where = prefetcher.where();
    if (prefetcher.failed()) worker.where().enter(where.stage(), where.sequence());
    throw;
  }
}

}  // namespace

TargetModel load_target(const RunConfig& config, const RunPlan& plan, at::Device device) {
  ModelWeights weights(config.target().model());
  const int64_t layers =
      plan.layout.captured_layer_ids.back() + 1;  // the forward stops behind the deepest captured layer
  return {plan.target, weights, scalar_type(plan.compute_dtype), layers, device};
}

void compute_batches(const WorkerContext& worker, const RunPlan& plan, const TargetParts& parts) {
  PackPrefetcher prefetcher(worker, parts.dataset);
  TargetForwardLoop loop(worker, parts.device, parts.torch_device, parts.target, plan.layout, parts.noise,
                         parts.senders);
  const DrainAtEnd drain(parts.device);  // before the loop goes
  compute_until_done(worker, loop, prefetcher);
  prefetcher.join();
  log_info(describe(loop));
  log_info(
      format("{} of hand-off memory; {} allocations of it after the first batch, {} new tensors on the way into it",
             bytes_text(static_cast<int64_t>(parts.device.stats().allocated_bytes)), loop.times().allocator_calls,
             loop.times().new_tensors));
}

}  // namespace dflash
