#include "common/data/prepared/shard_format.h"

#include <bit>
#include <span>

#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepared/mask_bits.h"

namespace dflash {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are read in place, and stand little-endian on disk");

constexpr uint64_t up_to_eight(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

}  // namespace

ShardParts shard_parts(int64_t documents, int64_t tokens) {
  const auto token_count = static_cast<uint64_t>(tokens);
  ShardParts parts;
  parts.ids = sizeof(ShardHeader);
  parts.mask = up_to_eight(parts.ids + token_count * sizeof(int32_t));
  parts.offsets = up_to_eight(parts.mask + mask_bytes(token_count));
  parts.end = parts.offsets + (static_cast<uint64_t>(documents) + 1) * sizeof(uint64_t);
  return parts;
}

ShardHeader make_shard_header(const ShardFacts& facts) {
  ShardHeader header{kShardMagic, kShardVersion, sizeof(ShardHeader), facts, 0};
  header.header_hash = shard_header_hash(header);
  return header;
}

uint64_t shard_header_hash(const ShardHeader& header) {
  return hash_bytes(std::as_bytes(std::span(&header, 1)).first(offsetof(ShardHeader, header_hash)));
}

std::string shard_name(int64_t number) {
  return format("shard-{:06}.tokens", number);
}

std::string shard_state_name(int64_t number) {
  return format("shard-{:06}.json", number);
}

}  // namespace dflash
