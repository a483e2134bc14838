// ShardWriter: one shard, document by document. It appears under its name by commit(), durable, or never.
//
// Threading: one thread. Owns: its temporary file; in memory the mask bits and offsets of the shard, and a buffer of
// ids. Errors: throw_write_error's, naming the file.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "common/base/hash.h"
#include "common/base/scoped_descriptor.h"
#include "common/data/prepared/shard_format.h"

namespace dflash {

class ShardWriter {
 public:
  explicit ShardWriter(const std::filesystem::path& path);
  ~ShardWriter();
  ShardWriter(const ShardWriter&) = delete;
  ShardWriter& operator=(const ShardWriter&) = delete;

  /// Equal lengths, at least one token, no negative id: else Error{internal}.
  void add(std::span<const int32_t> ids, std::span<const uint8_t> mask);
  /// Without the content hash until commit().
  [[nodiscard]] const ShardFacts& facts() const { return facts_; }
  ShardFacts commit();

 private:
  void append(std::span<const std::byte> bytes);
  void append_zeros(uint64_t end);
  void flush();

  std::filesystem::path path_, temporary_;
  ScopedDescriptor file_;
  bool committed_ = false;
  ShardFacts facts_;
  std::vector<uint8_t> mask_bits_;
  std::vector<uint64_t> offsets_{0};
  std::vector<std::byte> buffer_;  // not yet written
  uint64_t appended_bytes_ = sizeof(ShardHeader);
  Hasher hasher_;
};

}  // namespace dflash
