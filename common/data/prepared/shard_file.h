// ShardFile: one shard, mapped for reading. Everything but its content is checked: header, sizes, every offset.
//
// Threading: immutable; any number of threads. Owns: the mapping.
// Errors: Error{input_file} naming the file.
#pragma once

#include <filesystem>
#include <span>

#include "common/base/file.h"
#include "common/data/prepared/shard_format.h"

namespace dflash {

class ShardFile {
 public:
  /// The file must say of itself what `expected` says. One pass over the offsets.
  ShardFile(const std::filesystem::path& path, const ShardFacts& expected);

  [[nodiscard]] const ShardFacts& facts() const { return facts_; }
  [[nodiscard]] std::span<const uint64_t> offsets() const { return offsets_; }  // [documents + 1]
  [[nodiscard]] std::span<const int32_t> ids() const { return ids_; }           // [tokens]
  [[nodiscard]] std::span<const uint8_t> mask_bits() const { return mask_bits_; }

  /// Reads the whole content: its hash, and whether the numbers of the header are those of the ids and mask bits.
  void verify() const;

 private:
  void check_offsets() const;

  std::filesystem::path path_;
  MappedFile file_;
  ShardFacts facts_;
  std::span<const uint64_t> offsets_;
  std::span<const int32_t> ids_;
  std::span<const uint8_t> mask_bits_;
};

}  // namespace dflash
