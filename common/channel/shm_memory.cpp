#include "common/channel/shm_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/channel/memory_room.h"

namespace dflash {

namespace {

constexpr const char* kWhat = "shared memory";

std::string own_host() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string own_boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

uint64_t inode_of(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) throw Error(ErrorKind::internal, format("fstat: {}", strerror(errno)));
  return status.st_ino;
}

void check_same_node(const ShmAddress& address) {
  if (address.boot_id == own_boot_id()) return;
  throw Error(ErrorKind::config,
              format("shared memory joins processes of one node, but the receiver runs on {} and the "
                     "sender on {}: start them on the same node",
                     address.host, own_host()));
}

/// Empty when it is the sealed memory that the address speaks of, else what is wrong.
std::string what_is_wrong(int fd, const ShmAddress& address) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return strerror(errno);
  if (status.st_ino != address.inode) return "it is another file: are the two in different containers?";
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return "its size is not sealed";
  if (std::cmp_not_equal(status.st_size, address.total_bytes)) {
    return format("it has {} bytes, announced were {}", status.st_size, address.total_bytes);
  }
  return {};
}

std::string why_not_opened(int error) {
  if (error == EACCES || error == EPERM) return "the two processes must run as the same user";
  if (error == ENOENT) return "the receiver is gone, or lives in another container";
  return strerror(error);
}

}  // namespace

ShmMemory ShmMemory::create(size_t total_bytes) {
  require_room(total_bytes, kWhat);
  const int fd = memfd_create("dflash-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw_no_room(total_bytes, kWhat, format("memfd_create: {}", strerror(errno)));
  ShmMemory memory(fd, total_bytes);
  if (fallocate(fd, 0, 0, static_cast<off_t>(total_bytes)) != 0) throw_no_room(total_bytes, kWhat, strerror(errno));
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw Error(ErrorKind::internal, format("sealing shared memory: {}", strerror(errno)));
  }
  memory.map();
  return memory;
}

ShmMemory ShmMemory::open(const ShmAddress& address) {
  check_same_node(address);
  const std::string path = format("/proc/{}/fd/{}", address.pid, address.fd);
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorKind::config, format("the receiver's shared memory {} cannot be used: {}", path, why));
  };
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) throw refuse(why_not_opened(errno));
  ShmMemory memory(fd, address.total_bytes);
  const std::string wrong = what_is_wrong(fd, address);
  if (!wrong.empty()) throw refuse(wrong);
  memory.map();
  memory.close_door();
  return memory;
}

void ShmMemory::map() {
  void* const mapped = mmap(nullptr, size_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped == MAP_FAILED) throw_no_room(size_bytes_, kWhat, format("mmap: {}", strerror(errno)));
  data_ = static_cast<std::byte*>(mapped);
}

ShmMemory::ShmMemory(ShmMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_bytes_(other.size_bytes_), data_(std::exchange(other.data_, nullptr)) {}

ShmMemory::~ShmMemory() {
  if (data_ != nullptr) munmap(data_, size_bytes_);
  close_door();
}

ShmAddress ShmMemory::address() const {
  return {own_host(), own_boot_id(), getpid(), fd_, inode_of(fd_), size_bytes_};
}

void ShmMemory::close_door() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

}  // namespace dflash
