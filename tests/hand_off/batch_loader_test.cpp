// A batch that is loaded early arrives while the one before is trained on, and its slot goes back when the device is
// past it, not before. On a simulated device whose engines stand still when the test wants it.

#include "drafter_worker/batch_loader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "common/channel/shm_channel.h"
#include "tests/support/errors.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(30s);
}

const BatchLayout& layout() {
  static const BatchLayout instance = make_batch_layout(16, 4, {1, 2}, DType::f32);
  return instance;
}

/// Both ends of a channel of two slots, a queue at one, and a loader on a device that can be held up.
class BatchLoaderTest : public testing::Test {
 protected:
  BatchLoaderTest() {
    const ChannelShape shape{layout().slot_bytes, 2, layout().hash(), false};
    auto [own, other] = InProcessBootstrap::make_pair();
    std::thread target([&, &line = *other] { sender_ = make_shm_sender(shape, line, late()); });
    std::vector<BufferedHSQueue::Link> links;
    links.push_back({make_shm_receiver(shape, *own, late()), "target 0"});
    target.join();
    queue_.emplace(std::move(links), layout(), HsQueueSettings{});
    SimOptions options;
    options.gate = gate_;
    device_.emplace(Device::sim(options));
    loader_.emplace(*device_, layout(), NoiseSchedule());
  }
  ~BatchLoaderTest() override { gate_->open_all(); }

  [[nodiscard]] bool a_slot_is_free() { return sender_->acquire(Deadline::after(100ms)).first == ChannelStatus::ok; }
  void send(int64_t sequence) {
    auto [status, slot] = sender_->acquire(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    std::memset(slot.bytes().data(), 0, slot.bytes().size());
    write_batch_header(slot.bytes(), layout(), sequence, 16, {});
    ASSERT_EQ(sender_->send(std::move(slot)), ChannelStatus::ok);
  }
  [[nodiscard]] LoadedBatch load() { return loader_->load(queue_->pop(late()), late()); }

  std::shared_ptr<SimGate> gate_ = std::make_shared<SimGate>();
  std::unique_ptr<Sender> sender_;
  std::optional<BufferedHSQueue> queue_;
  std::optional<Device> device_;
  std::optional<BatchLoader> loader_;
};

TEST_F(BatchLoaderTest, ASlotComesBackWhenTheCopyIsDoneAndNotBefore) {
  gate_->close(SimWork::copy);
  for (const int64_t sequence : {0, 1}) send(sequence);
  LoadedBatch first = load(), second = load();
  EXPECT_FALSE(a_slot_is_free()) << "both are still being read";
  gate_->open(SimWork::copy);
  for (const int64_t sequence : {2, 3}) send(sequence);  // which needs both slots
  std::move(first).land(late());
  std::move(second).land(late());
}

TEST_F(BatchLoaderTest, TheNextBatchArrivesWhileOneIsTrainedOn) {
  ASSERT_TRUE(loader_->overlaps());
  for (const int64_t sequence : {0, 1}) send(sequence);
  LoadedBatch first = load();
  gate_->close(SimWork::compute);
  bool trained = false;
  first.launch(loader_->compute(), [&trained](std::span<std::byte>) { trained = true; });
  const LoadedBatch second = load();
  for (const int64_t sequence : {2, 3}) send(sequence);  // the slots of both are free: they have been copied
  EXPECT_FALSE(trained);
  gate_->open(SimWork::compute);
  std::move(first).land(late());
  EXPECT_TRUE(trained);
}

}  // namespace
}  // namespace dflash
