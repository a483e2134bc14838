// How large the GPUs are that this process sees.
#pragma once

#include <cstdint>
#include <vector>

namespace dflash {

/// Bytes of each, in the order of their numbers; none where no GPU can be used. Asks the driver; takes no GPU.
[[nodiscard]] std::vector<int64_t> cuda_memory_bytes();

}  // namespace dflash
