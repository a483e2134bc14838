// PreparedFolder: a finished prepared folder, mapped for reading.
//
//   const PreparedFolder folder = PreparedFolder::open("prepared");
//   for (int64_t d = 0; d < folder.count(); ++d) use(folder.input_ids(d));
//
// open() believes nothing: the index, every header, every offset is checked; it reads no ids. verify() reads it all.
//
// Threading: immutable; any number of threads. Owns: the mappings. The files must not change while they are mapped.
// Errors: Error{input_file} naming file and what is wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "common/base/json.h"
#include "common/data/prepared/shard_file.h"

namespace dflash {

class PreparedFolder {
 public:
  [[nodiscard]] static PreparedFolder open(const std::filesystem::path& folder);

  [[nodiscard]] int64_t count() const { return totals_.documents; }
  [[nodiscard]] int64_t length(int64_t document) const;  // tokens, at least one
  [[nodiscard]] std::span<const int32_t> input_ids(int64_t document) const;
  /// Writes 0 or 1 for each token; `mask` has the document's length.
  void copy_loss_mask(int64_t document, std::span<uint8_t> mask) const;

  /// Sums of the shards, the longest document, the greatest id, and the content's hash.
  [[nodiscard]] const ShardFacts& totals() const { return totals_; }
  [[nodiscard]] uint64_t hash() const { return totals_.content_hash; }
  [[nodiscard]] const Json& key() const { return key_; }
  [[nodiscard]] const Json& ledger() const { return ledger_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::vector<ShardFile>& shards() const { return shards_; }

  /// Compares the whole content with its hashes and counts.
  void verify() const;

 private:
  PreparedFolder() = default;
  struct Place {
    const ShardFile& shard;
    size_t document;  // in it
  };
  [[nodiscard]] Place place_of(int64_t document) const;

  std::filesystem::path path_;
  Json key_, ledger_;
  ShardFacts totals_;
  std::vector<ShardFile> shards_;
  std::vector<int64_t> first_documents_;  // of each shard
};

}  // namespace dflash
