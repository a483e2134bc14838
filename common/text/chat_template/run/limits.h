// What one rendering may use. Templates and rows are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dflash {

struct TemplateLimits {
  uint64_t steps = 50'000'000;           ///< expressions, statements, items; 8 bytes of new text count as one
  size_t text_bytes = size_t{64} << 20;  ///< of the output and of each string on the way
  int depth = 1000;                      ///< expressions and statements inside each other, macros included
};

}  // namespace dflash
