// MergeTable: which two tokens may become one, and how early.
//
// Threading: immutable once filled.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "common/text/tokenizer/models/word_hash.h"

namespace dflash {

struct Merge {
  uint32_t rank = UINT32_MAX;  ///< smaller is earlier; UINT32_MAX: these two stay apart
  uint32_t token = 0;
};

class MergeTable {
 public:
  explicit MergeTable(size_t merges) : slots_(std::bit_ceil(2 * merges + 2)) {}

  /// Of two merges of the same pair the later one counts. No more than the constructor was told.
  void add(uint32_t left, uint32_t right, Merge merge) {
    Slot& slot = slots_[slot_of(key_of(left, right))];
    slot = {key_of(left, right), merge};
  }

  [[nodiscard]] Merge find(uint32_t left, uint32_t right) const { return slots_[slot_of(key_of(left, right))].merge; }

 private:
  struct Slot {
    uint64_t key = UINT64_MAX;  // no pair: ids are below 2^31
    Merge merge;
  };
  static uint64_t key_of(uint32_t left, uint32_t right) { return (uint64_t{left} << 32U) | right; }
  [[nodiscard]] size_t slot_of(uint64_t key) const {
    size_t at = mix_words(key, 0x9E3779B97F4A7C15U) & (slots_.size() - 1);
    while (slots_[at].key != key && slots_[at].key != UINT64_MAX) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
};

}  // namespace dflash
