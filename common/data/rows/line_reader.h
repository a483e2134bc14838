// LineReader: the lines of a ByteSource, numbered from 1, in bounded memory.
//
//   LineReader lines(path);
//   for (Line line; lines.next(line);) use(line.number, line.text);
//
// Lines end at LF only (a CR before it is cut off; U+2028 and the like are text). A UTF-8 byte order mark at the very
// start is skipped. Everything else is left as it is, zero bytes too.
//
// Threading: one thread.
// Limits: a line of more than largest_line_bytes is stepped over and marked; memory is that much and 256 KiB.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/data/rows/byte_source.h"

namespace dflash {

constexpr size_t kLargestLineBytes = size_t{64} << 20;

struct Line {
  int64_t number = 0;
  std::string_view text;  // without its end; valid until the next call of the reader
  bool too_long = false;  // text is empty then
  bool ended = true;      // false: the last line of a file that ends without LF
};

class LineReader {
 public:
  /// "-" is standard input. Error{input_file} as open_byte_source, and for UTF-16.
  explicit LineReader(const std::string& path, size_t largest_line_bytes = kLargestLineBytes);

  /// False at the end. Error{input_file} as ByteSource::read, with the number of lines read before.
  [[nodiscard]] bool next(Line& line);
  /// As ByteSource::file_bytes; it reads ahead of the lines.
  [[nodiscard]] uint64_t file_bytes() const { return source_->file_bytes(); }

 private:
  bool fill();
  void skip_byte_order_mark();
  void give(Line& line, size_t end, bool ended);
  void skip_long_line(Line& line);

  std::string path_;
  size_t largest_line_bytes_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;    // of the next line
  size_t scanned_ = 0;  // no LF before this
  size_t end_ = 0;
  int64_t number_ = 0;
};

}  // namespace dflash
