// safetensors files: a read-only view by mmap, and a writer.
//
// Format: 8 bytes little-endian header length, JSON {"name": {"dtype", "shape", "data_offsets"}, "__metadata__":
// {...}}, then row-major little-endian data. Every field of the header is distrusted: length, dtype, shape products,
// offsets (inside the file, no overlap, no hole), duplicate names. Complaints are Error{input_file} naming file and
// tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/base/dtype.h"
#include "common/base/file.h"

namespace dflash {

/// One tensor of a mapped file; valid as long as the file's owner lives.
struct TensorView {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;

  [[nodiscard]] int64_t element_count() const;
};

class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);

  [[nodiscard]] const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  MappedFile file_;
  std::map<std::string, TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Writes tensors (in the map's order) with metadata {"format": "pt"}; whole or not at all, flushed to the disk.
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors);

/// Bytes of that file before the tensors' own; `bytes` of the views need not be there.
[[nodiscard]] int64_t safetensors_header_bytes(const std::map<std::string, TensorView>& tensors);

}  // namespace dflash
