// From the forward's states to the bytes a drafter trains on, through real queues, channels and devices: whatever the
// depth of the queue, the mode and the device, they are the same bits.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <mutex>
#include <thread>

#include "common/base/random.h"
#include "common/channel/pinned_host_channel.h"
#include "common/channel/shm_channel.h"
#include "common/device/cuda_devices.h"
#include "common/device/kernel_copy.h"
#include "common/pipeline/bounded_queue.h"
#include "common/pipeline/stage_thread.h"
#include "drafter_worker/batch_loader.h"
#include "target_worker/slot_packer.h"
#include "tests/support/errors.h"
#include "tests/support/in_process_bootstrap.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::byte>;

constexpr int64_t kTokens = 40, kHidden = 24, kLayers = 3, kBatches = 14;
constexpr size_t kLayerBytes = kTokens * kHidden * 2;
constexpr uint64_t kRunSeed = 7;

Deadline late() {
  return Deadline::after(30s);
}

/// Where an end works; cuda where there is a GPU, or a simulated CUDA runtime is linked in.
enum class Kind { cpu, sim, cuda };
uint64_t kind_count() {
  static const uint64_t count = cuda_devices().count > 0 ? 3 : 2;
  return count;
}
const char* name_of(Kind kind) {
  return kind == Kind::cpu ? "cpu" : kind == Kind::sim ? "sim" : "cuda";
}

/// What one seed draws.
struct Way {
  explicit Way(uint64_t seed) {
    const CounterRandom random(seed, RandomPurpose::stage_delays, 1);
    depth = 1 + random.bits(0) % 60;
    split = random.bits(1) % 2 == 1;
    async = random.bits(2) % 2 == 1;
    target = static_cast<Kind>(random.bits(3) % kind_count());
    drafter = static_cast<Kind>(random.bits(4) % kind_count());
    noise = random.bits(5) % 2 == 1;
    travels_clean = random.bits(6) % 4 == 0;  // as recorded batches do
    device_seed = random.bits(7);
    pinned = random.bits(8) % 2 == 1;
    aliased = random.bits(9) % 2 == 1;
  }
  [[nodiscard]] BatchLayout layout() const {
    return make_batch_layout(kTokens, kHidden, {1, 4, 6}, DType::bf16, split);
  }
  [[nodiscard]] std::unique_ptr<Sender> sender(const ChannelShape& shape, Bootstrap& line, Device& own_device) const {
    if (pinned) return make_pinned_host_sender(shape, line, late(), own_device);
    return make_shm_sender(shape, line, late());
  }
  [[nodiscard]] std::unique_ptr<Receiver> receiver(const ChannelShape& shape, Bootstrap& line,
                                                   Device& own_device) const {
    if (pinned) return make_pinned_host_receiver(shape, line, late(), own_device);
    return make_shm_receiver(shape, line, late());
  }
  [[nodiscard]] NoiseSchedule schedule() const {
    if (!noise) return {};
    return NoiseSchedule({.shape = NoiseSettings::Shape::linear,
                          .from = 0.5,
                          .to = 0.1,
                          .steps = 4,
                          .batches_per_step = 2,
                          .seed = kRunSeed});
  }
  [[nodiscard]] Device device(Kind kind) const {
    if (kind == Kind::cpu) return Device::cpu();
    if (kind == Kind::cuda) return Device::cuda(0);
    SimOptions options;
    options.seed = device_seed;
    options.most_delay = 150us;
    options.most_lateness = 100us;
    options.chunk_bytes = 4096;
    options.most_pause = 20us;
    options.resting_blocks = 1;
    return Device::sim(options);
  }

  size_t depth = 1;
  Kind target = Kind::cpu, drafter = Kind::cpu;
  bool split = false, async = false, noise = false, travels_clean = false;
  bool pinned = false;
  bool aliased = false;  // all layers of a batch lie in one storage, as views of it do
  uint64_t device_seed = 0;
};

Pack pack_of(int64_t sequence) {
  const auto size = static_cast<size_t>(kTokens);
  Pack pack{std::vector<int32_t>(size),
            std::vector<int32_t>(size, 0),
            std::vector<int32_t>(size, 1),
            std::vector<uint8_t>(size, 1),
            {0, 33}};
  for (size_t i = 0; i < size; ++i) pack.input_ids[i] = static_cast<int32_t>(sequence * 1000) + static_cast<int32_t>(i);
  return pack;
}

/// Layer `layer` of the target's states of a batch, [T, H].
Bytes layer_of(int64_t sequence, int64_t layer) {
  Bytes bytes(kLayerBytes);
  const CounterRandom random(3, RandomPurpose::weights, static_cast<uint64_t>(sequence), static_cast<uint64_t>(layer));
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const auto half = static_cast<uint16_t>(0x3e00 + random.bits(i) % 0x280);
    std::memcpy(bytes.data() + i, &half, 2);
  }
  return bytes;
}

/// The tensors of a forward: memory that is used again as soon as nobody holds it, as an allocator's is.
class Activations {
 public:
  std::shared_ptr<const Bytes> take(const Bytes& values) {
    std::unique_ptr<Bytes> memory = free_->take();
    *memory = values;
    return {memory.release(), [free = free_](Bytes* given_up) { free->give_back(std::unique_ptr<Bytes>(given_up)); }};
  }

 private:
  class FreeList {
   public:
    std::unique_ptr<Bytes> take() {
      const std::lock_guard lock(mutex_);
      if (memory_.empty()) return std::make_unique<Bytes>();
      std::unique_ptr<Bytes> last = std::move(memory_.back());
      memory_.pop_back();
      return last;
    }
    void give_back(std::unique_ptr<Bytes> memory) {
      const std::lock_guard lock(mutex_);
      memory_.push_back(std::move(memory));
    }

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Bytes>> memory_;
  };
  std::shared_ptr<FreeList> free_ = std::make_shared<FreeList>();
};

/// The layers of a batch, each in memory of its own or all in one; the memory goes when the last layer does.
std::vector<std::shared_ptr<const std::byte>> take_layers(Activations& activations, bool aliased, int64_t sequence) {
  std::vector<std::shared_ptr<const std::byte>> layers;
  Bytes all;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const Bytes states = layer_of(sequence, layer);
    all.insert(all.end(), states.begin(), states.end());
    if (aliased) continue;
    const auto own = activations.take(states);
    layers.emplace_back(own, own->data());
  }
  if (!aliased) return layers;
  const auto storage = activations.take(all);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    layers.emplace_back(storage, storage->data() + static_cast<size_t>(layer) * kLayerBytes);
  }
  return layers;
}

void run_target(const Way& way, const BatchLayout& layout, Device& device, Sender& sender) {
  Pool sets = device.make_pool({"captures", MemoryKind::device, layout.captured_bytes(), kCaptureSets});
  Stream compute = device.make_stream("forward");
  SlotPacker packer(device, layout, way.travels_clean ? NoiseSchedule() : way.schedule());
  const auto post_process = [&](CapturedPack&& captured) {
    auto [status, slot] = sender.acquire(late());
    ASSERT_EQ(status, ChannelStatus::ok);
    Landed<SendLease> filled = packer.fill(lend(std::move(slot)), std::move(captured), late());
    ASSERT_EQ(send_landed(sender, std::move(filled)), ChannelStatus::ok);
  };
  BoundedQueue<CapturedPack> queue(kCaptureSets);
  const auto drain_queue = [&] {
    CapturedPack captured;
    while (queue.pop(captured, late()) == QueueStatus::ok) post_process(std::move(captured));
  };
  StageThread thread("postprocess", drain_queue, [&](const std::exception_ptr& error) { queue.close(error); });
  Activations activations;
  for (int64_t s = 0; s < kBatches; ++s) {
    OnStream<Buffer> states = sets.take(late()).value().on(compute);
    size_t offset = 0;
    for (const auto& hidden : take_layers(activations, way.aliased, s)) {
      const auto copy = [hidden, offset](std::span<std::byte> captured) {
        kernel_copy(captured.data() + offset, hidden.get(), kLayerBytes);
      };
      offset += kLayerBytes;
      launch(compute, copy, states);
      if (way.target == Kind::cuda)
        compute.record().wait(late());  // a kernel there only enqueues, and this is host memory
    }
    CapturedPack captured{{s, pack_of(s)}, std::move(states)};
    if (way.async) {
      ASSERT_EQ(queue.push(std::move(captured), late()), QueueStatus::ok);
    } else {
      post_process(std::move(captured));
    }
  }
  queue.close();
  thread.join();
  if (const auto error = thread.error()) std::rethrow_exception(error);
  EXPECT_EQ(sender.finish(late()), ChannelStatus::ok);
  EXPECT_EQ(device.stats().lost_blocks, 0U);
}

/// What the drafter's kernel is given for each batch.
std::vector<Bytes> run_drafter(const Way& way, Device& device, BufferedHSQueue& queue) {
  BatchLoader loader(device, way.layout(), way.schedule());
  std::vector<Bytes> trained(static_cast<size_t>(kBatches));
  std::optional<LoadedBatch> ahead;
  for (size_t s = 0; s < trained.size(); ++s) {
    LoadedBatch batch = ahead ? std::move(*ahead) : loader.load(queue.pop(late()), late());
    ahead.reset();
    batch.launch(loader.compute(), [&trained, s](std::span<std::byte> bytes) {
      trained[s].resize(bytes.size());
      kernel_copy(trained[s].data(), bytes.data(), bytes.size());
    });
    if (loader.overlaps()) {
      if (auto next = queue.try_pop()) ahead = loader.load(std::move(*next), late());
    }
    EXPECT_EQ(batch.sequence(), static_cast<int64_t>(s));
    std::move(batch).land(late());
  }
  queue.drain(late());
  return trained;
}

/// Ids and states of a packed batch, without the gaps between the fields and the marks of the header.
Bytes payload(const Bytes& slot, const BatchLayout& layout) {
  Bytes all;
  for (const auto& [offset, size] : {std::pair{layout.input_ids_offset, size_t{4} * kTokens},
                                     {layout.document_ids_offset, size_t{4} * kTokens},
                                     {layout.position_ids_offset, size_t{4} * kTokens},
                                     {layout.loss_mask_offset, size_t{kTokens}},
                                     {layout.captured_offset, layout.captured_bytes()}}) {
    const auto begin = slot.begin() + static_cast<std::ptrdiff_t>(offset);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return all;
}

/// Straight from the definition: everything packed on the spot, by one thread.
Bytes expected_batch(int64_t sequence, const NoiseSchedule& schedule) {
  const BatchLayout layout = make_batch_layout(kTokens, kHidden, {1, 4, 6}, DType::bf16);
  Bytes captured, slot(layout.slot_bytes);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const Bytes states = layer_of(sequence, layer);
    captured.insert(captured.end(), states.begin(), states.end());
  }
  fill_batch_slot(slot, layout, sequence, pack_of(sequence), captured, schedule.of_batch(sequence));
  return slot;
}

void expect_same_bits(const Way& way) {
  auto [own, other] = InProcessBootstrap::make_pair();
  const ChannelShape shape{way.layout().slot_bytes, way.depth, way.layout().hash(), false};
  std::thread target([&way, &shape, &bootstrap = *other] {
    const BatchLayout layout = way.layout();
    Device device = way.device(way.target);
    const auto sender = way.sender(shape, bootstrap, device);
    run_target(way, layout, device, *sender);
    EXPECT_EQ(device.stats().released_in_use, 0U);
  });
  Device device = way.device(way.drafter);
  std::vector<BufferedHSQueue::Link> links;
  links.push_back({way.receiver(shape, *own, device), "target 0"});
  const BatchLayout layout = way.layout();
  BufferedHSQueue queue(std::move(links), layout, {});
  const std::vector<Bytes> trained = run_drafter(way, device, queue);
  target.join();
  EXPECT_EQ(device.stats().released_in_use, 0U);
  const BatchLayout packed = packed_layout(layout);
  for (int64_t s = 0; s < kBatches; ++s) {
    ASSERT_EQ(payload(trained[static_cast<size_t>(s)], packed), payload(expected_batch(s, way.schedule()), packed))
        << "batch " << s;
  }
}

TEST(HandOff, HasTheSameBitsWhateverTheWay) {
  const uint64_t seeds = kind_count() == 2 ? 200 : 80;  // CUDA's calls take their time
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Way way(seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": depth " << way.depth << (way.split ? " split" : " packed")
                                    << (way.async ? " async" : " sync") << ' ' << name_of(way.target) << " to "
                                    << name_of(way.drafter) << (way.noise ? " noise" : "")
                                    << (way.travels_clean ? " clean" : "")
                                    << (way.aliased ? " layers in one storage" : "")
                                    << (way.pinned ? " through pinned memory" : " through shared memory"));
    expect_same_bits(way);
    if (HasFatalFailure()) return;
  }
}

/// The test can fail: one seed more or less of noise is seen.
TEST(HandOff, OtherNoiseIsNotTheSameBits) {
  Way way(0);
  way.noise = true;
  const BatchLayout packed = packed_layout(way.layout());
  EXPECT_NE(payload(expected_batch(3, way.schedule()), packed), payload(expected_batch(3, NoiseSchedule()), packed));
}

TEST(HandOff, AFailedKernelIsToldWhereTheBatchLands) {
  Way way(1);
  way.split = way.noise = false;
  for (uint64_t kind = 0; kind < kind_count(); ++kind) {
    auto [own, other] = InProcessBootstrap::make_pair();
    const BatchLayout layout = way.layout();
    const ChannelShape shape{layout.slot_bytes, 4, layout.hash(), false};
    std::thread target([&way, &shape, &bootstrap = *other] {
      const auto sender = make_shm_sender(shape, bootstrap, late());
      auto [status, slot] = sender->acquire(late());
      std::memcpy(slot.bytes().data(), expected_batch(0, {}).data(), slot.bytes().size());
      ASSERT_EQ(sender->send(std::move(slot)), ChannelStatus::ok);
      EXPECT_EQ(sender->finish(late()), ChannelStatus::ok) << "the slot comes back all the same";
    });
    std::vector<BufferedHSQueue::Link> links;
    links.push_back({make_shm_receiver(shape, *own, late()), "target 0"});
    BufferedHSQueue queue(std::move(links), layout, {});
    Device device = way.device(static_cast<Kind>(kind));
    BatchLoader loader(device, layout, {});
    LoadedBatch batch = loader.load(queue.pop(late()), late());
    batch.launch(loader.compute(), [](std::span<std::byte>) { throw Error(ErrorKind::internal, "the kernel's own"); });
    expect_error(ErrorKind::internal, "the kernel's own", [&] {
      LoadedBatch ends_here = std::move(batch);
      std::move(ends_here).land(late());
    });
    target.join();
  }
}

}  // namespace
}  // namespace dflash
