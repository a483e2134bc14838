// CapturedPack: a pack and the target's states of it, on their way from the forward to the post-processing.
#pragma once

#include <optional>

#include "common/device/device.h"
#include "target_worker/pack_prefetcher.h"

namespace dflash {

struct CapturedPack {
  LeasedPack leased;
  // [L, T, H] in the dtype that travels; the block goes back to its pool when it has been laid into a slot.
  std::optional<OnStream<Buffer>> states;
};

/// Two let forward and post-processing work at once; more would only wait for each other.
constexpr size_t kCaptureSets = 2;

}  // namespace dflash
