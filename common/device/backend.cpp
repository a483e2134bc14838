#include "common/device/backend.h"

#include <algorithm>

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"

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

void Backend::register_host(std::span<std::byte> memory) {
  if (memory.empty()) throw Error(ErrorKind::internal, "host memory of 0 bytes is to be registered with a device");
  const std::lock_guard lock(registered_mutex_);
  const bool again = std::any_of(registered_.begin(), registered_.end(), [memory](std::span<std::byte> other) {
    return memory.data() < other.data() + other.size() && other.data() < memory.data() + memory.size();
  });
  if (again) {
    throw Error(ErrorKind::internal,
                format("{} bytes of host memory are to be registered with a device, and part of them is already: "
                       "register a ring once, as a whole",
                       memory.size()));
  }
  registered_.reserve(registered_.size() + 1);
  system_register(memory);
  registered_.push_back(memory);
  counters_.registered_bytes += memory.size();
}

void Backend::unregister_host(std::span<std::byte> memory) noexcept {
  const std::lock_guard lock(registered_mutex_);
  std::erase_if(registered_, [memory](std::span<std::byte> other) { return other.data() == memory.data(); });
  counters_.registered_bytes -= memory.size();
  if (system_unregister(memory)) return;
  ++counters_.released_in_use;
  log_error(format("{} bytes of registered host memory were let go while a copy was using them", memory.size()));
}

}  // namespace dflash
