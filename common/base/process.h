// Other processes of this node: what they are called, and whether they still live.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace dflash {

/// Equal for two processes that see each other's process numbers and files below /proc: the same boot of the same
/// machine, the same container.
[[nodiscard]] uint64_t own_node_id();

/// Watches one process, also across the reuse of its number. Move-only. Threading: any thread.
class ProcessWatch {
 public:
  /// Watches nobody: it never ends.
  ProcessWatch() = default;
  /// A process of this node. One that cannot be watched (no such process) counts as ended; a kernel without process
  /// descriptors (before Linux 5.3) as one that never ends.
  explicit ProcessWatch(pid_t pid);
  ProcessWatch(ProcessWatch&& other) noexcept;
  ProcessWatch& operator=(ProcessWatch&& other) noexcept;
  ~ProcessWatch();

  /// True from the moment the process is dead, also while nobody has waited for it.
  [[nodiscard]] bool ended() const;
  /// Sends SIGKILL, which a stopped process obeys too. Nothing happens when it has ended or is not watched.
  void kill() const;

 private:
  int descriptor_ = -1;
  bool was_gone_ = false;
};

}  // namespace dflash
