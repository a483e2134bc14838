// ShmMemory: unnamed memory that two processes of one node share. The kernel frees it when both are gone, however they
// end.
//
// One process creates it and tells the other its address; the other opens it through /proc/PID/fd. The size is sealed,
// so that no mapping can ever lie beyond the end of the file.
//
// Threading: none of its own. Owns: the mapping, and in the creating process the descriptor.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dflash {

/// Where the memory of another process is found.
struct ShmAddress {
  std::string host;
  std::string boot_id;  ///< tells nodes apart that carry the same host name
  pid_t pid = 0;
  int fd = -1;
  uint64_t inode = 0;  ///< tells whether /proc/PID/fd/FD is still that memory
  uint64_t total_bytes = 0;
};

class ShmMemory {
 public:
  /// Zeroed and backed by pages at once. Error{no_space} when they are not to be had.
  [[nodiscard]] static ShmMemory create(size_t total_bytes);
  /// Error{config} when the address is of another node, user or container, or is no longer that memory.
  [[nodiscard]] static ShmMemory open(const ShmAddress& address);

  ShmMemory(ShmMemory&& other) noexcept;
  ShmMemory& operator=(ShmMemory&&) = delete;
  ~ShmMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] size_t size_bytes() const { return size_bytes_; }
  /// How another process finds it. Works until close_door().
  [[nodiscard]] ShmAddress address() const;
  /// The other process has it: nobody else may open it any more.
  void close_door() noexcept;

 private:
  ShmMemory(int fd, size_t size_bytes) : fd_(fd), size_bytes_(size_bytes) {}
  void map();

  int fd_ = -1;
  size_t size_bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace dflash
