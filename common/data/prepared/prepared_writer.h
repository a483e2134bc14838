// PreparedWriter: writes a prepared folder, shard by shard, and goes on with one that was interrupted.
//
//   PreparedWriter writer(folder, key);               // key: the settings that the documents depend on
//   if (auto state = writer.resume_state()) skip_to(*state);
//   while (next_document(ids, mask)) {
//     writer.add(ids, mask);
//     if (writer.shard_is_full()) writer.close_shard(where_i_am());
//   }
//   writer.finish(ledger);                            // prepared.json appears: the folder is whole
//
// What is added after the last close_shard is lost with the process; everything before it stays, and a writer that
// opens the folder again gives the state that came with it. The bytes of the finished folder are a function of key,
// documents, shard size and ledger.
//
// Threading: one thread. Owns: the folder's lock (one writer at a time; on a file system without locks, nothing), and
// in memory the mask bits and offsets of one shard. The folder is on the disk when close_shard and finish return.
// Errors: Error{config} for a folder that cannot be this one's (in use, finished, other key, other files in it);
// Error{input_file} for an unfinished one that is damaged; Error{no_space} for a full disk; Error{checkpoint} for
// another failed write.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/json.h"
#include "common/data/prepared/folder_lock.h"
#include "common/data/prepared/shard_format.h"
#include "common/data/prepared/shard_writer.h"

namespace dflash {

/// A shard is full when it holds this many tokens (128 MiB of ids), or an eighth as many documents.
constexpr int64_t kShardTokens = int64_t{32} << 20;

class PreparedWriter {
 public:
  /// Makes the folder, or opens an unfinished one and removes what a killed writer left half written in it.
  PreparedWriter(const std::filesystem::path& folder, const Json& key, int64_t shard_tokens = kShardTokens);
  /// The same for who holds the folder's lock already.
  PreparedWriter(FolderLock lock, const std::filesystem::path& folder, const Json& key, int64_t shard_tokens);

  /// The state saved with the last whole shard; nothing when there is none.
  [[nodiscard]] std::optional<Json> resume_state() const { return state_; }
  /// Documents and tokens of the whole folder so far; the hash is not known before the end.
  [[nodiscard]] ShardFacts totals() const;

  /// Equal lengths, at least one token, no negative id: else Error{internal}.
  void add(std::span<const int32_t> ids, std::span<const uint8_t> mask);
  /// Time to close it. (Adding more is no error: the shard grows.)
  [[nodiscard]] bool shard_is_full() const;
  /// The shard is durable, then `state` with it. Error{internal} for an empty shard.
  void close_shard(const Json& state);
  /// Closes the last shard, writes prepared.json and removes the states. Error{internal} when nothing was added.
  void finish(const Json& ledger);

 private:
  void write_open_shard();

  std::filesystem::path folder_;
  Json key_;
  int64_t shard_tokens_;
  FolderLock lock_;
  std::vector<ShardFacts> shards_;  // whole ones
  std::unique_ptr<ShardWriter> shard_;
  std::optional<Json> state_;
};

/// True for a folder that is whole: it holds prepared.json.
[[nodiscard]] bool is_prepared_folder(const std::filesystem::path& folder);

}  // namespace dflash
