// ScopedDescriptor: a file descriptor that is closed on every path out of a function.
#pragma once

#include <unistd.h>

#include <utility>

namespace dflash {

class ScopedDescriptor {
 public:
  /// Negative: nothing to close.
  explicit ScopedDescriptor(int descriptor) : descriptor_(descriptor) {}
  ScopedDescriptor(const ScopedDescriptor&) = delete;
  ScopedDescriptor& operator=(const ScopedDescriptor&) = delete;
  ~ScopedDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  /// Closes it now. Some file systems tell only then that there was no room: false, and errno says why.
  [[nodiscard]] bool close_well() { return close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

}  // namespace dflash
