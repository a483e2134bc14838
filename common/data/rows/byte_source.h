// ByteSource: the text of a file of rows as a stream: plain, gzip, zstd or Parquet, told apart by the
// first bytes.
//
// Threading: one thread.
// Limits: memory does not grow with the file; a zstd frame may ask for a window of at most 128 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace dflash {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills the front of `room` (not empty) and returns how many bytes that was; 0 at the end. Error{input_file} with
  /// file and byte when it cannot be read, or its compressed data are broken or cut.
  [[nodiscard]] virtual size_t read(std::span<char> room) = 0;
  /// How many bytes of the file itself were taken so far, packed ones as they lie there; 0 where nobody counts them
  /// (Parquet).
  [[nodiscard]] virtual uint64_t file_bytes() const { return 0; }
};

/// "-" is standard input. Error{input_file} for a file that cannot be opened, or is named .gz, .zst or .parquet and
/// holds something else; for Parquet when this build has no reader for it, or from standard input.
[[nodiscard]] std::unique_ptr<ByteSource> open_byte_source(const std::string& path);

}  // namespace dflash
