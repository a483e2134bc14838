// Files of rows for tests: compressed ones too, and all lines or verdicts of one at once.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/data/rows/row_file.h"
#include "common/data/rows/row_parser.h"
#include "tests/support/temp_folder.h"

namespace dflash {

inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

/// With a checksum at the end, as the zstd program writes it.
inline std::string zstd_packed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const size_t size = ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("zstd");
  packed.resize(size);
  return packed;
}

struct ReadLine {
  int64_t number = 0;
  std::string text;
  bool too_long = false;
  bool ended = true;
  bool operator==(const ReadLine&) const = default;
};

inline std::vector<ReadLine> lines_of(const std::filesystem::path& path, size_t largest = kLargestLineBytes) {
  LineReader reader(path.string(), largest);
  std::vector<ReadLine> lines;
  for (Line line; reader.next(line);) lines.push_back({line.number, std::string(line.text), line.too_long, line.ended});
  return lines;
}

/// Line number and verdict of every row of a file.
inline std::vector<std::pair<int64_t, RowVerdict>> verdicts_of(const std::filesystem::path& path) {
  RowFile file(path.string());
  RowParser parser;
  std::vector<std::pair<int64_t, RowVerdict>> verdicts;
  for (Line line; file.next(line);) verdicts.emplace_back(line.number, parser.read(line, file.shape()));
  return verdicts;
}

inline RowVerdict verdict_of(const std::string& row, RowShape shape) {
  RowParser parser;
  Line line;
  line.text = row;
  return parser.read(line, shape);
}

}  // namespace dflash
