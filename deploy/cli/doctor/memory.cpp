#include "deploy/cli/doctor/memory.h"

#include <unistd.h>

#include <algorithm>

#include "common/base/bytes_text.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/channel/shm_memory.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSegmentBytes = 4 << 20;  // default of btl_vader_segment_size (Open MPI 4.1), one for each rank

}  // namespace

Finding check_memory(int64_t memory_bytes, int64_t available_bytes, int64_t queue_bytes) {
  const std::string found = format("{}, of which {} are available", bytes_text(memory_bytes),
                                   bytes_text(std::min(available_bytes, memory_bytes)));
  if (available_bytes >= queue_bytes) return {Light::good, "memory", found};
  return {Light::note, "memory", format("{}; waiting hidden states may take {}", found, bytes_text(queue_bytes)),
          "end what else needs memory, or lower pipeline.queue_bytes"};
}

std::string try_channel_memory() {
  try {
    (void)ShmMemory::create(static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

Finding check_channel_memory(const std::string& failure) {
  if (failure.empty()) {
    return {Light::good, "channel memory", "can be made (memfd: bound by memory, not by the size of /dev/shm)"};
  }
  return {Light::bad, "channel memory", failure,
          "allow memfd_create and fallocate in this container, or use --set pipeline.channel=mpi"};
}

SharedFolderFacts read_shared_folder(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) return {};
  return {.writable = access(folder.c_str(), W_OK | X_OK) == 0,
          .total_bytes = static_cast<int64_t>(space.capacity),
          .free_bytes = static_cast<int64_t>(space.available)};
}

Finding check_shared_folder(const SharedFolderFacts& facts, int ranks) {
  const char* subject = "/dev/shm";
  if (!facts.writable) {
    return {Light::note, subject, "is not there, or cannot be written to: Open MPI takes its folder of temporary files",
            "mount it (tmpfs): shared memory on a disk is slow"};
  }
  const int64_t needed_bytes = kSegmentBytes * ranks;
  const std::string found = format("{} of {} free; Open MPI needs up to {} for {} ranks", bytes_text(facts.free_bytes),
                                   bytes_text(facts.total_bytes), bytes_text(needed_bytes), ranks);
  if (facts.free_bytes >= needed_bytes) return {Light::good, subject, found};
  return {Light::bad, subject, found,
          "remove what killed programs left there, or make it larger: docker run --shm-size=1g, mount -o "
          "remount,size=1g /dev/shm"};
}

}  // namespace dflash
