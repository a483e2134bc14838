#include "target_worker/target_forward_loop.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stopwatch.h"
#include "common/tensor/hidden_state_batch.h"
#include "common/tensor/tensor_file.h"

namespace dflash {
namespace {

at::Tensor view_ids(const std::vector<int32_t>& ids) {
  return at::from_blob(const_cast<int32_t*>(ids.data()), {static_cast<int64_t>(ids.size())}, at::kInt);
}

template <typename T>
void copy_field(const std::vector<T>& from, const at::Tensor& to) {
  std::memcpy(to.data_ptr(), from.data(), from.size() * sizeof(T));
}

void expect_open(ChannelStatus status) {
  if (status != ChannelStatus::ok) throw Error(ErrorKind::peer_died, "the drafter closed its channel");
}

}  // namespace

TargetForwardLoop::TargetForwardLoop(const WorkerContext& worker, const TargetModel& target, const BatchLayout& layout,
                                     Sender& sender)
    : worker_(worker), target_(target), layout_(layout), sender_(sender) {
  const auto options = at::TensorOptions().dtype(scalar_type(layout.captured_dtype));
  for (size_t i = 0; i < layout.captured_layer_ids.size(); ++i) {
    captured_.push_back(at::zeros({layout.pack_tokens, layout.hidden_size}, options));
  }
}

void TargetForwardLoop::run(BoundedQueue<LeasedPack>& packs) {
  const c10::InferenceMode no_autograd;
  for (;;) {
    LeasedPack leased;
    worker_.where = {"wait for a pack", -1};
    Stopwatch watch;
    const QueueStatus status = packs.pop(leased, worker_.pace_deadline());
    times_.pack_wait_ns += watch.elapsed_ns();
    if (status == QueueStatus::closed) break;
    if (status == QueueStatus::timeout) {
      throw Error(ErrorKind::stall, format("no pack was ready in time after {} batches", times_.batches));
    }
    compute(leased);
  }
  worker_.where = {"finish the stream", -1};
  const ChannelStatus status = sender_.finish(worker_.pace_deadline());
  if (status == ChannelStatus::timeout)
    throw Error(ErrorKind::stall, "the drafter did not take the last batches in time");
  expect_open(status);
}

void TargetForwardLoop::compute(const LeasedPack& leased) {
  worker_.where = {"forward", leased.sequence};
  Stopwatch watch;
  capture(leased.pack);
  times_.forward_ns += watch.elapsed_ns();
  send(leased);
  ++times_.batches;
}

void TargetForwardLoop::capture(const Pack& pack) {
  const auto& ids = layout_.captured_layer_ids;
  const PackedInput input{view_ids(pack.input_ids), view_ids(pack.position_ids), pack.document_starts};
  target_.forward_packed(input, [&](int64_t layer, const at::Tensor& hidden) {
    const auto found = std::find(ids.begin(), ids.end(), layer);
    if (found != ids.end()) captured_[static_cast<size_t>(found - ids.begin())].copy_(hidden);
  });
}

void TargetForwardLoop::send(const LeasedPack& leased) {
  worker_.where.stage = "wait for a slot";
  Stopwatch watch;
  auto [status, slot] = sender_.acquire(worker_.pace_deadline());
  times_.slot_wait_ns += watch.elapsed_ns();
  if (status == ChannelStatus::timeout) {
    throw Error(ErrorKind::stall,
                format("no free slot for batch {} in time: the drafter takes nothing", leased.sequence));
  }
  expect_open(status);
  worker_.where.stage = "pack hidden states";
  watch = Stopwatch();
  HiddenStateBatch batch = view_slot(slot.bytes(), layout_);
  copy_field(leased.pack.input_ids, batch.input_ids);
  copy_field(leased.pack.document_ids, batch.document_ids);
  copy_field(leased.pack.position_ids, batch.position_ids);
  copy_field(leased.pack.loss_mask, batch.loss_mask);
  pack_hidden_states_from_captured(captured_, batch.captured);
  write_batch_header(slot.bytes(), layout_, leased.sequence, leased.pack.document_starts.back());
  times_.pack_hidden_ns += watch.elapsed_ns();
  expect_open(sender_.send(std::move(slot)));
}

}  // namespace dflash
