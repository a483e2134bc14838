// RawBytes: the bytes of a file or of standard input as they lie there, with a look ahead.
//
// Threading: one thread.
// Owns: the descriptor (of standard input a copy) and a buffer of 256 KiB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/scoped_descriptor.h"

namespace dflash {

class RawBytes {
 public:
  /// "-" is standard input. Error{input_file} when it cannot be opened.
  explicit RawBytes(const std::string& path);

  /// What comes next: at least `least` bytes (at most 64), fewer only at the end of the file. Valid until the next
  /// call. Error{input_file} when reading fails.
  [[nodiscard]] std::string_view ahead(size_t least = 1);
  /// Steps over bytes that were ahead.
  void consume(size_t bytes);

  [[nodiscard]] uint64_t offset() const { return offset_; }
  /// The path, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  bool read_more();

  std::string name_;
  ScopedDescriptor descriptor_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace dflash
