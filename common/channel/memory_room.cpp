#include "common/channel/memory_room.h"

#include <fstream>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

uint64_t available_memory_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  uint64_t value_kib = 0;
  while (meminfo >> key >> value_kib) {
    if (key == "MemAvailable:") return value_kib * 1024;
    meminfo.ignore(256, '\n');
  }
  return UINT64_MAX;
}

void throw_no_room(size_t bytes, const std::string& what, const std::string& why) {
  throw Error(ErrorKind::no_space,
              format("no {} bytes of {} for a channel: {}; lower pipeline.queue_bytes", bytes, what, why));
}

void require_room(size_t bytes, const std::string& what) {
  const uint64_t available = available_memory_bytes();
  if (bytes > available) throw_no_room(bytes, what, format("{} are available", available));
}

}  // namespace dflash
