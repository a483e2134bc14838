#include "common/data/rows/line_reader.h"

#include <algorithm>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr size_t kChunkBytes = size_t{128} << 10;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(const std::string& path, size_t largest_line_bytes)
    : path_(path), largest_line_bytes_(largest_line_bytes), source_(open_byte_source(path)), buffer_(2 * kChunkBytes) {
  skip_byte_order_mark();
}

void LineReader::skip_byte_order_mark() {
  while (end_ < kUtf8Mark.size() && fill()) {
  }
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with(kUtf8Mark)) begin_ = scanned_ = kUtf8Mark.size();
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    throw Error(ErrorKind::input_file, format("{}: begins with the byte order mark of UTF-16, expected UTF-8; convert "
                                              "it: iconv -f UTF-16 -t UTF-8",
                                              path_));
  }
}

bool LineReader::next(Line& line) {
  while (true) {
    const void* found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
    if (found != nullptr) {
      give(line, static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()), true);
      return true;
    }
    scanned_ = end_;
    if (end_ - begin_ > largest_line_bytes_) {
      skip_long_line(line);
      return true;
    }
    if (!fill()) break;
  }
  if (begin_ == end_) return false;
  give(line, end_, false);
  return true;
}

/// Hands out the bytes up to `end`, where the line's LF or the end of the file is.
void LineReader::give(Line& line, size_t end, bool ended) {
  std::string_view text(buffer_.data() + begin_, end - begin_);
  if (text.ends_with('\r')) text.remove_suffix(1);
  const bool too_long = text.size() > largest_line_bytes_;
  line = {++number_, too_long ? std::string_view() : text, too_long, ended};
  begin_ = scanned_ = std::min(end + 1, end_);
}

void LineReader::skip_long_line(Line& line) {
  const void* found = nullptr;
  do {
    begin_ = scanned_ = end_ = 0;
    if (!fill()) break;
    found = std::memchr(buffer_.data(), '\n', end_);
  } while (found == nullptr);
  if (found != nullptr) begin_ = scanned_ = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
  line = {++number_, {}, true, found != nullptr};
}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kChunkBytes) {
    buffer_.resize(std::min(2 * buffer_.size(), largest_line_bytes_ + 2 * kChunkBytes));
  }
  try {
    const size_t count = source_->read(std::span(buffer_).subspan(end_));
    end_ += count;
    return count > 0;
  } catch (const Error& error) {
    throw Error(error.kind(), format("{} ({} lines were read before)", error.what(), number_));
  }
}

}  // namespace dflash
