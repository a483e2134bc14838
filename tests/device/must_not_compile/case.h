// What the cases share. Each case is a function whose forbidden line stands within #ifdef FORBIDDEN; its first line
// says what the compiler must answer. Without the forbidden lines all of them compile.
#pragma once

#include <utility>

#include "common/device/device.h"
#include "tests/device/test_ring.h"

namespace dflash::must_not_compile {

using BufferCopy = InFlight<Buffer, Buffer>;
using LandedSlot = Landed<Lease<TestSlot>>;

/// What a channel does with a slot.
inline void publish(LandedSlot slot) {
  static_cast<void>(slot.host_view());
}

}  // namespace dflash::must_not_compile
