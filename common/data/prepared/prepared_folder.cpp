#include "common/data/prepared/prepared_folder.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/prepared/mask_bits.h"
#include "common/data/prepared/prepared_index.h"
#include "common/data/prepared/prepared_writer.h"

namespace dflash {

namespace {

/// A missing index has reasons that a person can do something about.
void check_whole(const std::filesystem::path& path) {
  if (is_prepared_folder(path)) return;
  const bool unfinished = std::filesystem::exists(path / kPreparingName);
  throw Error(ErrorKind::input_file,
              format("{}: a folder without {}: {}", path.string(), kPreparedName,
                     unfinished ? "preparing its data was interrupted; start dflash prepare again as before"
                                : "expected a folder that dflash prepare wrote, or a file"));
}

}  // namespace

PreparedFolder PreparedFolder::open(const std::filesystem::path& path) {
  check_whole(path);
  PreparedIndex index = read_prepared_index(path);
  PreparedFolder folder;
  folder.path_ = path;
  folder.totals_ = total_of(index.shards);
  int64_t documents = 0;
  for (size_t number = 0; number < index.shards.size(); ++number) {
    folder.shards_.emplace_back(path / shard_name(static_cast<int64_t>(number)), index.shards[number]);
    folder.first_documents_.push_back(documents);
    documents += index.shards[number].documents;
  }
  folder.key_ = std::move(index.key);
  folder.ledger_ = std::move(index.ledger);
  return folder;
}

PreparedFolder::Place PreparedFolder::place_of(int64_t document) const {
  const auto next = std::ranges::upper_bound(first_documents_, document);
  const auto shard = static_cast<size_t>(next - first_documents_.begin() - 1);
  return {shards_[shard], static_cast<size_t>(document - first_documents_[shard])};
}

int64_t PreparedFolder::length(int64_t document) const {
  const auto [shard, index] = place_of(document);
  return static_cast<int64_t>(shard.offsets()[index + 1] - shard.offsets()[index]);
}

std::span<const int32_t> PreparedFolder::input_ids(int64_t document) const {
  const auto [shard, index] = place_of(document);
  const uint64_t begin = shard.offsets()[index];
  return shard.ids().subspan(begin, shard.offsets()[index + 1] - begin);
}

void PreparedFolder::copy_loss_mask(int64_t document, std::span<uint8_t> mask) const {
  const auto [shard, index] = place_of(document);
  unpack_mask(shard.mask_bits(), shard.offsets()[index], mask);
}

void PreparedFolder::verify() const {
  for (const ShardFile& shard : shards_) shard.verify();
}

}  // namespace dflash
