#include "common/device/sim_backend.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "common/base/error.h"
#include "common/device/sim_memory.h"
#include "common/device/sim_scheduler.h"

namespace dflash {
namespace {

/// Piece by piece, from a piece chosen by chance to the last and then from the first, with pauses.
void copy_in_chunks(const CopyJob& job, const SimOptions& options, uint64_t chance) {
  const size_t chunk_bytes = options.chunk_bytes == 0 ? job.size_bytes : options.chunk_bytes;
  const size_t count = chunk_bytes == 0 ? 0 : (job.size_bytes + chunk_bytes - 1) / chunk_bytes;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = (i + chance % count) % count * chunk_bytes;
    std::memcpy(job.to + begin, job.from + begin, std::min(chunk_bytes, job.size_bytes - begin));
    if (options.most_pause.count() > 0) std::this_thread::sleep_for(options.most_pause * ((chance >> i % 32) & 1));
  }
}

class SimQueue final : public StreamQueue {
 public:
  SimQueue(SimScheduler& scheduler, const SimOptions& options)
      : scheduler_(scheduler), options_(options), lane_(scheduler.make_lane()) {}

  FencePtr copy(const CopyJob& job) override {
    const auto body = [job, &options = options_](uint64_t chance) { copy_in_chunks(job, options, chance); };
    return submit({.body = body,
                   .work = SimWork::copy,
                   .source = {job.from, job.size_bytes},
                   .destination = {job.to, job.size_bytes}});
  }
  FencePtr launch(std::function<void()> kernel) override {
    return submit({.body = [kernel = std::move(kernel)](uint64_t /*chance*/) { kernel(); }});
  }
  FencePtr record() override { return submit({}); }
  void wait(FencePtr fence) override { scheduler_.submit(lane_, {.awaited = std::move(fence)}); }

 private:
  FencePtr submit(SimOperation operation) {
    auto fence = std::make_shared<HostFence>();
    operation.fence = fence;
    scheduler_.submit(lane_, std::move(operation));
    return fence;
  }

  SimScheduler& scheduler_;
  const SimOptions& options_;
  SimLane& lane_;
};

class SimBackend final : public Backend {
 public:
  explicit SimBackend(const SimOptions& options) : options_(options), scheduler_(options) {}

  std::unique_ptr<StreamQueue> make_queue() override { return std::make_unique<SimQueue>(scheduler_, options_); }
  [[nodiscard]] size_t resting_blocks() const override { return options_.resting_blocks; }

  void block_taken(std::span<std::byte> block) const override {
    allow_access(block);
    if (is_filled_with_nan(block)) return;
    throw Error(ErrorKind::internal, "memory was written to after it was freed");
  }
  void block_freed(std::span<std::byte> block) const noexcept override { forbid(block); }
  void destination_submitted(std::span<std::byte> destination) const noexcept override { forbid(destination); }

 private:
  static void forbid(std::span<std::byte> bytes) noexcept {
    allow_access(bytes);
    fill_with_nan(bytes);
    forbid_access(bytes);
  }
  std::byte* system_allocate(MemoryKind /*kind*/, size_t size_bytes) override { return allocate_guarded(size_bytes); }
  void system_free(MemoryKind /*kind*/, std::byte* begin, size_t size_bytes) noexcept override {
    free_guarded(begin, size_bytes);
  }
  bool system_unregister(std::span<std::byte> memory) noexcept override {
    return !scheduler_.fail_users_of(memory, released_in_use_);
  }

  const SimOptions options_;
  const std::exception_ptr released_in_use_ = std::make_exception_ptr(
      Error(ErrorKind::internal, "registered host memory was let go while a copy was using it"));
  SimScheduler scheduler_;
};

}  // namespace

std::shared_ptr<Backend> make_sim_backend(const SimOptions& options) {
  return std::make_shared<SimBackend>(options);
}

}  // namespace dflash
