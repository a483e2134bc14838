// Products of sizes that come from settings and files: at most kHuge, so that a few of them can be added in 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace dflash {

inline constexpr int64_t kHuge = int64_t{1} << 55;

/// The product of numbers that are not negative, or kHuge where it is larger.
[[nodiscard]] inline int64_t large_product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  bool huge = false;
  for (const int64_t factor : factors) {
    if (factor == 0) return 0;
    huge = huge || __builtin_mul_overflow(product, factor, &product) || product > kHuge;
    if (huge) product = 1;  // goes on only to look for a 0
  }
  return huge ? kHuge : product;
}

}  // namespace dflash
