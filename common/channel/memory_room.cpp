#include "common/channel/memory_room.h"

#include <cstdint>
#include <fstream>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

namespace {

/// What the kernel believes it could give; the largest number when it does not say.
uint64_t available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  uint64_t value_kib = 0;
  while (meminfo >> key >> value_kib) {
    if (key == "MemAvailable:") return value_kib * 1024;
    meminfo.ignore(256, '\n');
  }
  return UINT64_MAX;
}

}  // namespace

void throw_no_room(size_t bytes, const std::string& what, const std::string& why) {
  throw Error(ErrorKind::no_space,
              format("no {} bytes of {} for a channel: {}; lower pipeline.queue_bytes", bytes, what, why));
}

void require_room(size_t bytes, const std::string& what) {
  const uint64_t available = available_bytes();
  if (bytes > available) throw_no_room(bytes, what, format("{} are available", available));
}

}  // namespace dflash
