#include "common/device/backend.h"

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

std::byte* Backend::allocate(MemoryKind kind, size_t size_bytes) {
  ++counters_.allocator_calls;
  std::byte* begin = system_allocate(kind, size_bytes);
  if (begin == nullptr) {
    throw Error(ErrorKind::no_space, format("no {} of {} memory left for a pool: use fewer or smaller slots",
                                            bytes_text(static_cast<int64_t>(size_bytes)), memory_kind_name(kind)));
  }
  counters_.allocated_bytes += size_bytes;
  return begin;
}

void Backend::deallocate(MemoryKind kind, std::byte* begin, size_t size_bytes) noexcept {
  ++counters_.allocator_calls;
  counters_.allocated_bytes -= size_bytes;
  system_free(kind, begin, size_bytes);
}

}  // namespace dflash
