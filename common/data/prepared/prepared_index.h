// The JSON files of a prepared folder: prepared.json of a whole one, preparing.json of an unfinished one, and the
// states behind its shards.
//
// Errors: what is read is distrusted: Error{input_file} naming file and key. What is written: write_file_atomic's.
#pragma once

#include <filesystem>
#include <vector>

#include "common/base/json.h"
#include "common/data/prepared/shard_format.h"

namespace dflash {

constexpr const char* kPreparedName = "prepared.json";
constexpr const char* kPreparingName = "preparing.json";

struct PreparedIndex {
  Json key;
  std::vector<ShardFacts> shards;
  Json ledger;
};

/// Totals of shards: sums, the longest, the greatest id; the hash is that of the shards' counts and hashes, in order.
[[nodiscard]] ShardFacts total_of(const std::vector<ShardFacts>& shards);

/// What prepared.json holds of it.
[[nodiscard]] Json prepared_index_json(const PreparedIndex& index);
void write_prepared_index(const std::filesystem::path& folder, const PreparedIndex& index);
[[nodiscard]] PreparedIndex read_prepared_index(const std::filesystem::path& folder);

void write_preparing_key(const std::filesystem::path& folder, const Json& key);
[[nodiscard]] Json read_preparing_key(const std::filesystem::path& folder);

/// What stands beside a whole shard.
struct ShardState {
  ShardFacts facts;
  Json state;  // the caller's
};
void write_shard_state(const std::filesystem::path& folder, int64_t number, const ShardState& state);
[[nodiscard]] ShardState read_shard_state(const std::filesystem::path& folder, int64_t number);

}  // namespace dflash
