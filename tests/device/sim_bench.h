// SimBench: a simulated device whose engines a test can stop, with pools, streams and a ring.
#pragma once

#include "tests/device/device_kinds.h"

namespace dflash {

struct SimBench {
  explicit SimBench(SimOptions options = {}) : device(with_gate(options)) {}
  /// Lets everything be done before the memory goes: also when the room makes a mistake on purpose.
  ~SimBench() {
    gate->open_all();
    static_cast<void>(copies.record().wait_passed(late()));
    static_cast<void>(kernels.record().wait_passed(late()));
  }
  SimBench(const SimBench&) = delete;
  SimBench& operator=(const SimBench&) = delete;

  [[nodiscard]] bool all_free() const { return host.free_count() == 4 && there.free_count() == 2; }

  const std::shared_ptr<SimGate> gate = std::make_shared<SimGate>();
  const std::shared_ptr<TestRing> ring = std::make_shared<TestRing>();
  Device device;
  Pool host = host_pool(device, 4);
  Pool there = device_pool(device, 2);
  Stream copies = device.make_stream("copies");
  Stream kernels = device.make_stream("kernels");

 private:
  [[nodiscard]] Device with_gate(SimOptions& options) const {
    options.gate = gate;
    return Device::sim(options);
  }
};

}  // namespace dflash
