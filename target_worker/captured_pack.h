// CapturedPack: a pack and the target's states of it, on their way from the forward to the post-processing. Each owns
// its capture buffers, allocated once; the next forward fills another one while this is laid into its slot.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "common/data/batch_layout.h"
#include "target_worker/pack_prefetcher.h"

namespace dflash {

struct CapturedPack {
  LeasedPack leased;
  std::vector<at::Tensor> layers;  // [T, H] for each captured layer, in the dtype that travels
};

/// Two let forward and post-processing work at once; more would only wait for each other.
constexpr size_t kCaptureSets = 2;

[[nodiscard]] CapturedPack make_captured_pack(const BatchLayout& layout);

}  // namespace dflash
