// Leased packs go through the target into slots that hold what the reference computed.

#include "target_worker/target_forward_loop.h"

#include <optional>
#include <thread>

#include "target_worker/target_run.h"
#include "tests/support/errors.h"
#include "tests/support/test_worker.h"
#include "tests/target_worker/golden_target.h"
#include "tests/target_worker/scripted_sender.h"

namespace dflash {
namespace {

using test::GoldenTarget;

template <typename T>
std::vector<T> values(const at::Tensor& tensor) {
  return {tensor.data_ptr<T>(), tensor.data_ptr<T>() + tensor.numel()};
}

/// The slot holds the pack, and for each of its two texts the states of golden/target.
void expect_slot(const GoldenTarget& target, std::span<std::byte> slot, int64_t sequence, const Pack& pack) {
  const HiddenStateBatch batch = view_received_slot(slot, target.layout);
  EXPECT_EQ(batch.sequence, sequence);
  EXPECT_EQ(batch.used_tokens, 2 * GoldenTarget::kTextTokens);
  EXPECT_EQ(values<int32_t>(batch.input_ids), pack.input_ids);
  EXPECT_EQ(values<int32_t>(batch.document_ids), pack.document_ids);
  EXPECT_EQ(values<int32_t>(batch.position_ids), pack.position_ids);
  EXPECT_EQ(values<uint8_t>(batch.loss_mask), pack.loss_mask);
  EXPECT_TRUE(batch.captured.isfinite().all().item<bool>());
  const bool swapped = !std::equal(pack.input_ids.begin(), pack.input_ids.begin() + 28, target.text(0).begin());
  for (int64_t place = 0; place < 2; ++place) {
    const at::Tensor ours = batch.captured.narrow(0, place * GoldenTarget::kTextTokens, GoldenTarget::kTextTokens);
    EXPECT_LE(test::relative_rms(ours, target.captured(swapped ? 1 - place : place)), 1e-5) << "text " << place;
  }
}

Device simulated_device() {
  SimOptions options;
  options.most_delay = std::chrono::microseconds(500);
  options.most_lateness = std::chrono::microseconds(500);
  return Device::sim(options);
}

/// With post-processing on a thread of its own, and without; on the cpu, and on a device that is late: everything holds
/// for all.
class ForwardLoop : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  [[nodiscard]] static bool async() { return std::get<0>(GetParam()); }
  [[nodiscard]] static Device make_device() { return std::get<1>(GetParam()) ? simulated_device() : Device::cpu(); }
};

TEST_P(ForwardLoop, SendsTheLeasedPacksInOrderAndEndsTheStream) {
  TestWorker worker;
  worker.config().mutable_pipeline()->set_async_postprocess(async());
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({1, 2});
    worker.expect_request(2);
    worker.grant({5, 6});
    worker.expect_request(2);
    worker.grant({8}, true);
  }
  if (!worker.is_target()) return;
  const GoldenTarget target;
  PreloadedDataset dataset(target.documents(), GoldenTarget::kPackTokens, 4);
  ScriptedSender sender(target.layout.slot_bytes);
  PackPrefetcher prefetcher(worker.context(), dataset);
  Device device = make_device();
  TargetForwardLoop loop(worker.context(), device, at::kCPU, target.model, target.layout, NoiseSchedule(), {&sender});
  loop.run(prefetcher.packs());
  prefetcher.join();

  EXPECT_TRUE(sender.finished);
  EXPECT_EQ(loop.postprocess_times().batches, 5);
  EXPECT_EQ(loop.times().allocator_calls, 0U);
  EXPECT_EQ(loop.times().new_tensors, 0U);
  const std::vector<int64_t> sequences{1, 2, 5, 6, 8};
  ASSERT_EQ(sender.slot_count(), sequences.size());
  PreloadedDataset same(target.documents(), GoldenTarget::kPackTokens, 4);
  for (size_t i = 0; i < sequences.size(); ++i)
    expect_slot(target, sender.slot(i), sequences[i], same.pack(sequences[i]));
}

TEST_P(ForwardLoop, AStoppedRunEndsAWaitForASlotWithoutAnError) {
  TestWorker worker(600);
  worker.config().mutable_pipeline()->set_async_postprocess(async());
  if (worker.is_coordinator()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ControlMessage message;
    message.mutable_stop();
    worker.send_to(1, message);
  }
  if (!worker.is_target()) return;
  const GoldenTarget target;
  PreloadedDataset dataset(target.documents(), GoldenTarget::kPackTokens, 4);
  BoundedQueue<LeasedPack> packs(6);  // a batch in every stage, and some that wait
  for (int64_t s = 5; s < 11; ++s) ASSERT_EQ(packs.push({s, dataset.pack(s)}, late()), QueueStatus::ok);
  packs.close();
  ScriptedSender sender(target.layout.slot_bytes);
  sender.on_acquire = ChannelStatus::timeout;
  Device device = make_device();
  TargetForwardLoop(worker.context(), device, at::kCPU, target.model, target.layout, NoiseSchedule(), {&sender})
      .run(packs);
  EXPECT_TRUE(worker.context().control.stopped());
  EXPECT_EQ(sender.slot_count(), 0U);
  EXPECT_TRUE(sender.finished) << "a drafter may still wait for the end of its streams";
}

TEST_P(ForwardLoop, EveryBatchGoesToTheDrafterOfItsNumber) {
  TestWorker worker;
  worker.config().mutable_pipeline()->set_async_postprocess(async());
  if (!worker.is_target()) return;
  const GoldenTarget target;
  PreloadedDataset dataset(target.documents(), GoldenTarget::kPackTokens, 4);
  BoundedQueue<LeasedPack> packs(4);
  for (const int64_t sequence : {0, 1, 3, 4}) {
    ASSERT_EQ(packs.push({sequence, dataset.pack(sequence)}, late()), QueueStatus::ok);
  }
  packs.close();
  ScriptedSender even(target.layout.slot_bytes), odd(target.layout.slot_bytes);
  Device device = make_device();
  TargetForwardLoop(worker.context(), device, at::kCPU, target.model, target.layout, NoiseSchedule(), {&even, &odd})
      .run(packs);
  ASSERT_EQ(even.slot_count(), 2U);
  ASSERT_EQ(odd.slot_count(), 2U);
  EXPECT_EQ(view_received_slot(even.slot(1), target.layout).sequence, 4);
  EXPECT_EQ(view_received_slot(odd.slot(0), target.layout).sequence, 1);
  EXPECT_TRUE(even.finished && odd.finished);
}

/// The forward of a second pack runs while the first one waits for its slot; without the thread it does not begin.
TEST_P(ForwardLoop, ASlowDrafterDoesNotStandOnTheForwardsPath) {
  TestWorker worker(0.5);
  worker.config().mutable_pipeline()->set_async_postprocess(async());
  if (!worker.is_target()) return;
  const GoldenTarget target;
  PreloadedDataset dataset(target.documents(), GoldenTarget::kPackTokens, 4);
  BoundedQueue<LeasedPack> packs(3);
  for (const int64_t s : {0, 1, 2}) ASSERT_EQ(packs.push({s, dataset.pack(s)}, late()), QueueStatus::ok);
  packs.close();
  ScriptedSender sender(target.layout.slot_bytes);
  sender.on_acquire = ChannelStatus::timeout;
  Device device = make_device();
  TargetForwardLoop loop(worker.context(), device, at::kCPU, target.model, target.layout, NoiseSchedule(), {&sender});
  const Error error = error_of([&] { loop.run(packs); });
  EXPECT_TRUE(says(error, {"batch 0"}));  // the first one is the one that waits
  EXPECT_EQ(worker.stage(), "wait for a slot");
  EXPECT_EQ(worker.sequence(), 0);
  EXPECT_EQ(packs.size(), async() ? 0U : 2U);
}

INSTANTIATE_TEST_SUITE_P(AsyncPostprocessAndSimulatedDevice, ForwardLoop,
                         testing::Combine(testing::Bool(), testing::Bool()));

/// One pack, sequence 5, through a sender that misbehaves. All ranks make the worker; the target alone tests.
class UnwillingDrafter : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    worker_.config().mutable_pipeline()->set_async_postprocess(GetParam());
    if (worker_.is_target()) {
      loop_.emplace(worker_.context(), device_, at::kCPU, target_.model, target_.layout, NoiseSchedule(),
                    std::vector<Sender*>{&sender_});
    } else {
      GTEST_SKIP();
    }
  }
  Error error_of_run() {
    return error_of([&] { run(); });
  }
  void run() {
    PreloadedDataset dataset(target_.documents(), GoldenTarget::kPackTokens, 4);
    BoundedQueue<LeasedPack> packs(1);
    EXPECT_EQ(packs.push({5, dataset.pack(5)}, late()), QueueStatus::ok);
    packs.close();
    loop_->run(packs);
  }

  TestWorker worker_{0.3};
  GoldenTarget target_;
  Device device_ = Device::cpu();
  ScriptedSender sender_{target_.layout.slot_bytes};
  std::optional<TargetForwardLoop> loop_;
};

TEST_P(UnwillingDrafter, ClosedBeforeTheBatchHasDied) {
  sender_.on_acquire = ChannelStatus::closed;
  const Error error = error_of_run();
  EXPECT_EQ(error.kind(), ErrorKind::peer_died);
  EXPECT_TRUE(says(error, {"closed"}));
  EXPECT_EQ(worker_.stage(), "wait for a slot");
  EXPECT_EQ(worker_.sequence(), 5);
  EXPECT_FALSE(sender_.finished);
}

TEST_P(UnwillingDrafter, ThatTakesNothingStalls) {
  sender_.on_acquire = ChannelStatus::timeout;
  const Error error = error_of_run();
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_TRUE(says(error, {"batch 5"}));
}

TEST_P(UnwillingDrafter, ClosedDuringTheBatchHasDied) {
  sender_.on_send = ChannelStatus::closed;
  EXPECT_EQ(error_of_run().kind(), ErrorKind::peer_died);
}

TEST_P(UnwillingDrafter, ThatKeepsTheLastBatchesStalls) {
  sender_.on_finish = ChannelStatus::timeout;
  const Error error = error_of_run();
  EXPECT_EQ(error.kind(), ErrorKind::stall);
  EXPECT_EQ(worker_.stage(), "finish the streams");
}

TEST_P(UnwillingDrafter, ClosedAtTheEndOfTheStreamHasDied) {
  sender_.on_finish = ChannelStatus::closed;
  EXPECT_EQ(error_of_run().kind(), ErrorKind::peer_died);
}

TEST_P(UnwillingDrafter, WhoseProcessDiedIsNamed) {
  sender_.on_acquire = ChannelStatus::peer_lost;
  const Error error = error_of_run();
  EXPECT_EQ(error.kind(), ErrorKind::peer_died);
  EXPECT_TRUE(says(error, {"drafter 0 (rank 2", "died", "batch 5"}));
}

TEST_P(UnwillingDrafter, AnErrorOfTheQueueComesThrough) {
  BoundedQueue<LeasedPack> packs(1);
  packs.close(std::make_exception_ptr(Error(ErrorKind::input_file, "the prefetcher's")));
  expect_error(ErrorKind::input_file, "the prefetcher's", [&] { loop_->run(packs); });
  EXPECT_FALSE(sender_.finished);
}

INSTANTIATE_TEST_SUITE_P(AsyncPostprocess, UnwillingDrafter, testing::Bool());

TEST(ComputeBatches, AnErrorOfThePrefetchThreadIsThatOfItsStageAndBatch) {
  TestWorker worker;
  if (worker.is_coordinator()) {
    worker.expect_request(2);
    worker.grant({3, -5});  // there is no such pack
  }
  if (!worker.is_target()) return;
  const GoldenTarget target;
  PreloadedDataset dataset(target.documents(), GoldenTarget::kPackTokens, 4);
  ScriptedSender sender(target.layout.slot_bytes);
  Device device = Device::cpu();
  RunPlan plan;
  plan.layout = target.layout;
  const NoiseSchedule none;
  expect_error(ErrorKind::internal, "batch -5", [&] {
    compute_batches(worker.context(), plan, {device, at::kCPU, target.model, dataset, none, {&sender}});
  });
  EXPECT_EQ(worker.stage(), "build a pack");
  EXPECT_EQ(worker.sequence(), -5);
}

}  // namespace
}  // namespace dflash
