// The bytes of a shard, "shard-000000.tokens":
//
//   header | ids i32[tokens] | zeros up to 8 | mask bits | zeros up to 8 | offsets u64[documents + 1]
//
// little-endian; offsets are those of the documents' first tokens, then the number of tokens. The content hash is the
// XXH3 of everything behind the header, the header's own that of its fields before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dflash {

/// What a shard holds, in numbers.
struct ShardFacts {
  int64_t documents = 0;
  int64_t tokens = 0;
  int64_t supervised_tokens = 0;
  int64_t longest_document = 0;  // tokens
  int64_t max_id = 0;
  uint64_t content_hash = 0;
  friend bool operator==(const ShardFacts&, const ShardFacts&) = default;
};

/// Plain data, as it stands in the file.
struct ShardHeader {
  uint64_t magic = 0;
  uint32_t version = 0;
  uint32_t header_bytes = 0;
  ShardFacts facts;
  uint64_t header_hash = 0;
};
static_assert(sizeof(ShardHeader) == 72);

constexpr uint64_t kShardMagic = 0x64726168734C4644;  // "DFLshard"
constexpr uint32_t kShardVersion = 1;
/// A folder holds no more, so that its index stays small and the names have six digits.
constexpr int64_t kMostShards = 100'000;

/// Where the parts of a shard begin, in bytes from the beginning of its file.
struct ShardParts {
  uint64_t ids = 0, mask = 0, offsets = 0, end = 0;
};
/// Of counts that are known to be small enough.
[[nodiscard]] ShardParts shard_parts(int64_t documents, int64_t tokens);

[[nodiscard]] ShardHeader make_shard_header(const ShardFacts& facts);
[[nodiscard]] uint64_t shard_header_hash(const ShardHeader& header);

[[nodiscard]] std::string shard_name(int64_t number);        // shard-000000.tokens
[[nodiscard]] std::string shard_state_name(int64_t number);  // shard-000000.json

}  // namespace dflash
