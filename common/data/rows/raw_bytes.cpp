#include "common/data/rows/raw_bytes.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;

int open_for_reading(const std::string& path) {
  const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorKind::input_file, format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  return descriptor;
}

}  // namespace

RawBytes::RawBytes(const std::string& path)
    : name_(path == "-" ? "standard input" : path), descriptor_(open_for_reading(path)), buffer_(kBufferBytes) {}

std::string_view RawBytes::ahead(size_t least) {
  while (end_ - begin_ < least && read_more()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void RawBytes::consume(size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

bool RawBytes::read_more() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  ssize_t count = 0;
  do {
    count = read(descriptor_.get(), buffer_.data() + end_, buffer_.size() - end_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw Error(ErrorKind::input_file,
                format("{}: cannot be read at byte {}: {}", name_, offset_ + end_, std::strerror(errno)));
  }
  end_ += static_cast<size_t>(count);
  return count > 0;
}

}  // namespace dflash
