#include "common/base/allocator.h"

#include <malloc.h>

#include <climits>

namespace dflash {

void keep_freed_memory() {
  constexpr int kGrowthBytes = 64 << 20;
  mallopt(M_MMAP_MAX, 0);              // everything from the heap, nothing mapped and unmapped by itself
  mallopt(M_TRIM_THRESHOLD, INT_MAX);  // and nothing handed back
  mallopt(M_TOP_PAD, kGrowthBytes);
}

}  // namespace dflash
