#include "common/text/tokenizer/models/word_cache.h"

#include <algorithm>

namespace dflash {
namespace {

constexpr size_t kSlots = size_t{1} << 17U;
constexpr size_t kMostTokens = size_t{1} << 19U;
constexpr size_t kMostWordBytes = size_t{2} << 20U;

}  // namespace

WordCache::WordCache() : slots_(kSlots) {}

void WordCache::clear() {
  std::ranges::fill(slots_, Slot());
  words_.clear();
  tokens_.clear();
}

void WordCache::keep(std::string_view word, uint64_t hash) {
  if (tokens_.size() > kMostTokens || words_.size() > kMostWordBytes) clear();
  Slot* bucket = &slots_[bucket_of(hash)];
  Slot* slot = std::find_if(bucket, bucket + kWays, [](const Slot& s) { return s.word_bytes == 0; });
  if (slot == bucket + kWays) slot = bucket + hash % kWays;
  *slot = {hash, static_cast<uint32_t>(words_.size()), static_cast<uint32_t>(tokens_.size()),
           static_cast<uint8_t>(word.size()), static_cast<uint8_t>(fresh_.size())};
  words_ += word;
  tokens_.insert(tokens_.end(), fresh_.begin(), fresh_.end());
}

}  // namespace dflash
