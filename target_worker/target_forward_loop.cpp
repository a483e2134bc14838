#include "target_worker/target_forward_loop.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stopwatch.h"

namespace dflash {
namespace {

at::Tensor view_ids(const std::vector<int32_t>& ids) {
  return at::from_blob(const_cast<int32_t*>(ids.data()), {static_cast<int64_t>(ids.size())}, at::kInt);
}

}  // namespace

TargetForwardLoop::TargetForwardLoop(const WorkerContext& worker, const TargetModel& target, const BatchLayout& layout,
                                     std::vector<Sender*> senders)
    : worker_(worker),
      target_(target),
      layout_(layout),
      async_(worker.config.pipeline().async_postprocess()),
      postprocess_(worker, layout, std::move(senders), async_ ? postprocess_where_ : worker.where()) {}

void TargetForwardLoop::run(BoundedQueue<LeasedPack>& packs) {
  const c10::InferenceMode no_autograd;
  PostprocessStage stage(worker_, layout_, postprocess_, postprocess_where_, async_);
  for (int64_t batches = 0;; ++batches) {
    LeasedPack leased;
    worker_.where().enter("wait for a pack", -1);
    const Stopwatch watch;
    const QueueStatus status = packs.pop(leased, worker_.pace_deadline());
    times_.pack_wait_ns += watch.elapsed_ns();
    if (status == QueueStatus::closed || worker_.control.stopped()) break;
    if (status == QueueStatus::timeout) {
      throw Error(ErrorKind::stall, format("no pack was ready in time after {} batches", batches));
    }
    compute(std::move(leased), stage);
  }
  stage.finish();
  postprocess_.finish_streams();
}

void TargetForwardLoop::compute(LeasedPack&& leased, PostprocessStage& stage) {
  worker_.where().enter("wait for the post-processing", leased.sequence);
  const Stopwatch free_wait;
  CapturedPack& captured = stage.free_set();
  times_.postprocess_wait_ns += free_wait.elapsed_ns();
  captured.leased = std::move(leased);
  worker_.where().enter("forward");
  const Stopwatch forward;
  capture(captured);
  times_.forward_ns += forward.elapsed_ns();
  const Stopwatch submit;
  stage.submit(captured);
  times_.postprocess_wait_ns += submit.elapsed_ns();
}

void TargetForwardLoop::capture(CapturedPack& captured) {
  const auto& ids = layout_.captured_layer_ids;
  const Pack& pack = captured.leased.pack;
  const PackedInput input{view_ids(pack.input_ids), view_ids(pack.position_ids), pack.document_starts};
  target_.forward_packed(input, [&](int64_t layer, const at::Tensor& hidden) {
    const auto found = std::find(ids.begin(), ids.end(), layer);
    if (found != ids.end()) captured.layers[static_cast<size_t>(found - ids.begin())].copy_(hidden);
  });
}

}  // namespace dflash
