#include "common/data/prepared/prepared_writer.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/prepared/folder_repair.h"
#include "common/data/prepared/prepared_index.h"

namespace dflash {
namespace {

/// Offsets take eight bytes a document: short documents must not make them larger than the ids.
constexpr int64_t kTokensPerDocument = 8;

}  // namespace

PreparedWriter::PreparedWriter(const std::filesystem::path& folder, const Json& key, int64_t shard_tokens)
    : PreparedWriter(FolderLock::take(folder), folder, key, shard_tokens) {}

PreparedWriter::PreparedWriter(FolderLock lock, const std::filesystem::path& folder, const Json& key,
                               int64_t shard_tokens)
    : folder_(folder), shard_tokens_(shard_tokens), lock_(std::move(lock)) {
  claim_prepared_folder(folder_, key);
  key_ = key;
  WholeShards whole = read_whole_shards(folder_);
  shards_ = std::move(whole.facts);
  state_ = std::move(whole.state);
  remove_shards_from(folder_, static_cast<int64_t>(shards_.size()));
}

ShardFacts PreparedWriter::totals() const {
  std::vector<ShardFacts> shards = shards_;
  if (shard_) shards.push_back(shard_->facts());
  return total_of(shards);
}

void PreparedWriter::add(std::span<const int32_t> ids, std::span<const uint8_t> mask) {
  if (!shard_) {
    const auto number = static_cast<int64_t>(shards_.size());
    if (number == kMostShards) {
      throw Error(ErrorKind::config, format("{}: more than {} shards; prepare the files in parts, into several folders",
                                            folder_.string(), kMostShards));
    }
    shard_ = std::make_unique<ShardWriter>(folder_ / shard_name(number));
  }
  shard_->add(ids, mask);
}

bool PreparedWriter::shard_is_full() const {
  return shard_ &&
         (shard_->facts().tokens >= shard_tokens_ || shard_->facts().documents * kTokensPerDocument >= shard_tokens_);
}

void PreparedWriter::close_shard(const Json& state) {
  if (!shard_) throw Error(ErrorKind::internal, "a shard without documents is closed");
  write_open_shard();
  write_shard_state(folder_, static_cast<int64_t>(shards_.size()) - 1, {shards_.back(), state});
  state_ = state;
}

void PreparedWriter::finish(const Json& ledger) {
  if (shard_) write_open_shard();
  if (shards_.empty()) throw Error(ErrorKind::internal, "prepared data without documents");
  write_prepared_index(folder_, {key_, shards_, ledger});
  remove_preparing_files(folder_);
}

void PreparedWriter::write_open_shard() {
  shards_.push_back(shard_->commit());
  shard_.reset();
}

bool is_prepared_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kPreparedName, ignored);
}

}  // namespace dflash
