// Chunks of rows: what the reader hands to a worker, and what the worker makes of it.
//
// Threading: plain values that move from thread to thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/data/prepare/prepare_settings.h"
#include "common/data/prepare/prepared_row.h"
#include "common/data/rows/row_file.h"

namespace dflash {

/// Rows up to and with this line of this file are through.
struct InputPosition {
  size_t file = 0;   ///< its place among the files
  int64_t line = 0;  ///< 0: none of it
};

/// Lines of one file, in order; none when a file has no rows.
struct RowChunk {
  struct Row {
    int64_t line;
    size_t begin;  // in `text`
    size_t size;
    bool too_long;
    bool ended;
  };
  size_t file = 0;
  RowShape shape = RowShape::messages;
  std::optional<std::string> opened;  ///< of a file's first chunk: which shape was found
  std::string text;
  std::vector<Row> rows;
  int64_t done_bytes = 0;  ///< of all files, once this chunk is through

  [[nodiscard]] Line line(const Row& row) const {
    return {row.line, std::string_view(text).substr(row.begin, row.size), row.too_long, row.ended};
  }
};

struct PreparedChunk {
  size_t file = 0;
  std::optional<std::string> opened;
  std::vector<PreparedRow> rows;
  int64_t done_bytes = 0;
};

/// Reads files into chunks.
class ChunkReader {
 public:
  /// Goes on behind `start`. Throws nothing before next().
  ChunkReader(const std::vector<std::string>& files, const PrepareSettings& settings, InputPosition start);

  /// False at the end. A chunk holds at most 256 KiB of lines, but at least one, and at most 512 rows.
  /// Error{input_file} as RowFile, Error{config} as check_shape_fits.
  [[nodiscard]] bool next(RowChunk& chunk);

 private:
  void open_file(RowChunk& chunk);
  bool add_row(RowChunk& chunk);

  const std::vector<std::string>& files_;
  const PrepareSettings& settings_;
  InputPosition at_;
  std::optional<RowFile> file_;
  int64_t bytes_before_ = 0;  // of the files that are through
};

/// Bytes of all; 0 when one of them is no regular file.
[[nodiscard]] int64_t total_file_bytes(const std::vector<std::string>& files);

}  // namespace dflash
