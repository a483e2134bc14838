#include "common/base/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {
namespace {

// By number: <sys/pidfd.h> of glibc 2.36 cannot be linked from C++.
int open_process(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace

uint64_t own_node_id() {
  struct stat process_namespace {};
  if (stat("/proc/self/ns/pid", &process_namespace) != 0) process_namespace.st_ino = 0;
  return hash_text(format("{} {}", boot_id(), process_namespace.st_ino));
}

ProcessWatch::ProcessWatch(pid_t pid) : descriptor_(open_process(pid)) {
  was_gone_ = descriptor_ < 0 && errno == ESRCH;
}

ProcessWatch::ProcessWatch(ProcessWatch&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), was_gone_(std::exchange(other.was_gone_, false)) {}

ProcessWatch& ProcessWatch::operator=(ProcessWatch&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(was_gone_, other.was_gone_);
  return *this;
}

ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ProcessWatch::ended() const {
  if (descriptor_ < 0) return was_gone_;
  pollfd readable{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&readable, 1, 0) == 1;
}

void ProcessWatch::kill() const {
  if (descriptor_ >= 0) (void)syscall(SYS_pidfd_send_signal, descriptor_, SIGKILL, nullptr, 0);
}

}  // namespace dflash
