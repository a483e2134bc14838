// The folder of a PreparedWriter, before the first document: claimed, and rid of what a killed writer left. Who calls
// these holds its FolderLock.
//
// Errors: as in prepared_writer.h.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "common/base/json.h"
#include "common/data/prepared/shard_format.h"

namespace dflash {

/// The folder is empty, or unfinished work with this key; afterwards preparing.json says so. Removes the temporary
/// files of killed writers.
void claim_prepared_folder(const std::filesystem::path& folder, const Json& key);

/// The shards that have a state, and the state of the last.
struct WholeShards {
  std::vector<ShardFacts> facts;
  std::optional<Json> state;
};
/// Error{input_file} for a damaged one.
[[nodiscard]] WholeShards read_whole_shards(const std::filesystem::path& folder);

/// Removes shards and states from `number` on: such as have no state, or stand behind one that has none.
void remove_shards_from(const std::filesystem::path& folder, int64_t number);

/// Removes what only an unfinished folder needs: the states and preparing.json.
void remove_preparing_files(const std::filesystem::path& folder);

/// Removes the data of a preparing, finished or not, whatever they are; the folder is then unfinished work of this key
/// without a shard. Files of others stay. Killed on its way it leaves what can be cleared, or gone on with, again.
void clear_prepared_folder(const std::filesystem::path& folder, const Json& key);

}  // namespace dflash
