// The devices that every promise of common/device is tried on, and small words for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/device/cuda_devices.h"
#include "common/device/device.h"
#include "tests/device/host_work.h"
#include "tests/device/test_ring.h"
#include "tests/support/errors.h"

namespace dflash {

using namespace std::chrono_literals;

struct TestedDevice {
  std::string name;
  std::function<Device()> make;
};

inline SimOptions late_sim() {
  SimOptions options;
  options.seed = 7;
  options.most_delay = 300us;
  options.most_lateness = 200us;
  options.chunk_bytes = 100;
  options.most_pause = 100us;
  return options;
}

class DeviceTest : public testing::TestWithParam<TestedDevice> {
 protected:
  Device device_ = GetParam().make();
};

/// With cuda where there is a GPU; cuda_devices_test says when it was left out.
inline std::vector<TestedDevice> every_device() {
  std::vector<TestedDevice> devices = {{"cpu", [] { return Device::cpu(); }},
                                       {"sim", [] { return Device::sim({}); }},
                                       {"late_sim", [] { return Device::sim(late_sim()); }}};
  if (cuda_devices().count > 0) devices.push_back({"cuda", [] { return Device::cuda(0); }});
  return devices;
}
inline std::string device_name(const testing::TestParamInfo<TestedDevice>& info) {
  return info.param.name;
}

inline Deadline now() {
  return Deadline::after(0s);
}
inline Deadline soon() {
  return Deadline::after(20ms);
}
inline Deadline late() {
  return Deadline::after(30s);
}

inline Pool host_pool(Device& device, size_t count, size_t block_bytes = 1000) {
  return device.make_pool({"host", MemoryKind::pinned, block_bytes, count});
}
inline Pool device_pool(Device& device, size_t count, size_t block_bytes = 1000) {
  return device.make_pool({"on the device", MemoryKind::device, block_bytes, count});
}

inline Landed<Buffer> take(Pool& pool) {
  std::optional<Landed<Buffer>> buffer = pool.take(late());
  if (!buffer) throw std::runtime_error("the pool stayed empty");
  return std::move(*buffer);
}

/// Byte i of the bytes that `number` stands for; no run of them is NaN.
inline std::byte byte_of(size_t number, size_t i) {
  return static_cast<std::byte>((number * 31 + i * 7 + i / 256) % 101);
}
inline void write(std::span<std::byte> bytes, size_t number) {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(number, i);
}
/// How many bytes are not what write() wrote.
inline size_t wrong_bytes(std::span<const std::byte> bytes, size_t number) {
  size_t wrong = 0;
  for (size_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != byte_of(number, i);
  return wrong;
}
inline Landed<Buffer> take_written(Pool& pool, size_t number) {
  Landed<Buffer> buffer = take(pool);
  write(buffer.host_view(), number);
  return buffer;
}

/// Waits for something another thread does; false when it does not come within `time`.
template <typename Condition>
bool comes_true(Condition condition, std::chrono::milliseconds time = 30s) {
  const Deadline deadline = Deadline::after(time);
  while (!condition()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(200us);
  }
  return true;
}

}  // namespace dflash
