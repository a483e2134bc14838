#include "target_worker/target_forward_loop.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stopwatch.h"
#include "common/device/kernel_copy.h"
#include "common/tensor/torch_device.h"

namespace dflash {
namespace {

at::Tensor view_ids(const std::vector<int32_t>& ids) {
  return at::from_blob(const_cast<int32_t*>(ids.data()), {static_cast<int64_t>(ids.size())}, at::kInt);
}

}  // namespace

TargetForwardLoop::TargetForwardLoop(const WorkerContext& worker, Device& device, at::Device torch_device,
                                     const TargetModel& target, const BatchLayout& layout, const NoiseSchedule& noise,
                                     std::vector<Sender*> senders)
    : worker_(worker),
      device_(device),
      torch_device_(torch_device),
      target_(target),
      layout_(layout),
      async_(worker.config.pipeline().async_postprocess()),
      compute_(device.make_stream("forward")),
      postprocess_(worker, SlotPacker(device, layout, noise), std::move(senders),
                   async_ ? postprocess_where_ : worker.where()) {}

void TargetForwardLoop::run(BoundedQueue<LeasedPack>& packs) {
  const c10::InferenceMode no_autograd;
  const OnTorchStream torch_computes(compute_, torch_device_);
  PostprocessStage stage(worker_, device_, layout_, postprocess_, postprocess_where_, async_);
  uint64_t allocator_calls_before = device_.stats().allocator_calls;
  for (int64_t batches = 0;; ++batches) {
    if (batches == 1) allocator_calls_before = device_.stats().allocator_calls;
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
  times_.allocator_calls = device_.stats().allocator_calls - allocator_calls_before;
  postprocess_.finish_streams();
}

void TargetForwardLoop::compute(LeasedPack&& leased, PostprocessStage& stage) {
  worker_.where().enter("wait for the post-processing", leased.sequence);
  const Stopwatch free_wait;
  OnStream<Buffer> states = stage.free_set().on(compute_);
  times_.postprocess_wait_ns += free_wait.elapsed_ns();
  worker_.where().enter("forward");
  const Stopwatch forward;
  capture(leased.pack, states);
  times_.forward_ns += forward.elapsed_ns();
  const Stopwatch submit;
  stage.submit({std::move(leased), std::move(states)});
  times_.postprocess_wait_ns += submit.elapsed_ns();
}

void TargetForwardLoop::capture(const Pack& pack, OnStream<Buffer>& states) {
  const auto& ids = layout_.captured_layer_ids;
  const size_t layer_bytes = layout_.captured_bytes() / ids.size();
  const PackedInput input{view_ids(pack.input_ids), view_ids(pack.position_ids), pack.document_starts};
  target_.forward_packed(input, [&](int64_t layer, const at::Tensor& hidden) {
    const auto found = std::find(ids.begin(), ids.end(), layer);
    if (found == ids.end()) return;
    const size_t offset = static_cast<size_t>(found - ids.begin()) * layer_bytes;
    if (!hidden.is_contiguous()) ++times_.new_tensors;
    // The kernel keeps the tensor alive, however late it runs.
    const auto copy = [kept = hidden.contiguous(), offset, layer_bytes](std::span<std::byte> captured) {
      kernel_copy(captured.subspan(offset, layer_bytes).data(), static_cast<const std::byte*>(kept.const_data_ptr()),
                  layer_bytes);
    };
    TORCH_CHECK(hidden.nbytes() == layer_bytes, "a captured layer is not as large as the layout says");
    launch(compute_, copy, states);
  });
}

}  // namespace dflash
