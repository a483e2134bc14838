// ScopedFault: the room makes this mistake while it lives.
#pragma once

#include "common/device/test_faults.h"

namespace dflash {

class ScopedFault {
 public:
  explicit ScopedFault(DeviceFault fault) { active_device_fault.store(fault); }
  ~ScopedFault() { active_device_fault.store(DeviceFault::none); }
  ScopedFault(const ScopedFault&) = delete;
  ScopedFault& operator=(const ScopedFault&) = delete;
};

}  // namespace dflash
