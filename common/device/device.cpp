#include "common/device/device.h"

#include <chrono>
#include <utility>

#include "common/base/format.h"
#include "common/base/log.h"
#include "common/device/cpu_backend.h"
#include "common/device/cuda_backend.h"
#include "common/device/sim_backend.h"

namespace dflash {
namespace {
constexpr std::chrono::seconds kPatienceAtEnd{10};
}  // namespace

Device::Device(std::shared_ptr<Backend> backend) : backend_(std::move(backend)), reaper_(std::make_shared<Reaper>()) {}

Device Device::cpu() {
  return Device(make_cpu_backend());
}

Device Device::sim(const SimOptions& options) {
  return Device(make_sim_backend(options));
}

Device Device::cuda(int ordinal) {
  return Device(make_cuda_backend(ordinal));
}

Device::~Device() {
  if (!reaper_) return;  // moved from
  const size_t left = reaper_->close(Deadline::after(kPatienceAtEnd));
  if (left > 0) log_warn(format("the device ends with {} operations not done; their memory stays taken", left));
}

Pool Device::make_pool(PoolShape shape) {
  return Pool(std::make_shared<PoolBlocks>(backend_, std::move(shape)));
}

Stream Device::make_stream(std::string name) {
  auto core = std::make_shared<StreamCore>();
  core->name = std::make_shared<const std::string>(std::move(name));
  core->backend = backend_;
  core->reaper = reaper_;
  core->queue = backend_->make_queue();
  return Stream(std::move(core));
}

DeviceStats Device::stats() const {
  const MemoryCounters& counters = backend_->counters();
  return {counters.allocator_calls, counters.allocated_bytes,  counters.lost_blocks,
          reaper_->held_count(),    counters.registered_bytes, counters.released_in_use};
}

}  // namespace dflash
