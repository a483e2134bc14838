// What a drafter gets where nobody says: captured layers, decay of the positional weights.
#include <algorithm>
#include <cmath>

#include "common/hf/drafter_config.h"

namespace dflash {

std::vector<int64_t> default_layer_ids(int64_t num_target_layers, int64_t captured_count) {
  if (captured_count == 1) return {num_target_layers / 2};
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < captured_count; ++i) {
    const double spread = static_cast<double>(i * (num_target_layers - 4)) / static_cast<double>(captured_count - 1);
    ids.push_back(static_cast<int64_t>(std::nearbyint(1.0 + spread)));  // halves to even: the default rounding mode
  }
  return ids;
}

/// From two ids on they spread over 1 .. L_t - 3, which holds L_t - 3 of them.
int64_t most_captured_layers(int64_t num_target_layers) {
  if (num_target_layers < 3) return 0;
  return std::max<int64_t>(1, num_target_layers - 3);
}

double default_decay_gamma(int64_t block_size) {
  switch (block_size) {
    case 16:
      return 7;
    case 10:
      return 5;
    case 8:
    case 7:
      return 4;
    default:
      return std::round(7.0 * static_cast<double>(block_size) / 16.0 * 10.0) / 10.0;
  }
}

}  // namespace dflash
