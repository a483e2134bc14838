// WordCache: the tokens of words that one thread has met, so that a word is worked out once.
//
// Threading: one thread. Serves one model at a time: clear() between two.
// Owns: copies of the words and their tokens, at most about 12 MiB; a full cache begins anew.
// Limits: words of at most kLongestWordBytes are kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/tokenizer/models/word_hash.h"

namespace dflash {

/// A token and the bytes [begin, end) of the piece that it covers.
struct PieceToken {
  uint32_t id;
  uint32_t begin;
  uint32_t end;
};

class WordCache {
 public:
  static constexpr size_t kLongestWordBytes = 120;

  WordCache();
  void clear();

  /// Appends the tokens of `word`, which begins at byte `base` of its piece, to `out`; works them out by
  /// `work_out(word, tokens)`, with positions that count from the word, where it has not done so before.
  template <typename WorkOut>
  void append(std::string_view word, uint32_t base, std::vector<PieceToken>& out, WorkOut&& work_out) {
    const bool kept = word.size() <= kLongestWordBytes;
    const uint64_t hash = kept ? hash_word(word) : 0;
    if (kept) {
      if (const Slot* slot = find(word, hash))
        return copy({tokens_.data() + slot->first_token, slot->tokens}, base, out);
    }
    fresh_.clear();
    work_out(word, fresh_);
    copy(fresh_, base, out);
    if (kept && fresh_.size() <= word.size()) keep(word, hash);
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t word_begin = 0;
    uint32_t first_token = 0;
    uint8_t word_bytes = 0;  // 0: free
    uint8_t tokens = 0;
  };
  static constexpr size_t kWays = 4;

  [[nodiscard]] const Slot* find(std::string_view word, uint64_t hash) const {
    const Slot* bucket = &slots_[bucket_of(hash)];
    for (size_t i = 0; i < kWays; ++i) {
      const Slot& slot = bucket[i];
      if (slot.hash == hash && slot.word_bytes == word.size() &&
          std::string_view(words_.data() + slot.word_begin, word.size()) == word) {
        return &slot;
      }
    }
    return nullptr;
  }
  static void copy(std::span<const PieceToken> tokens, uint32_t base, std::vector<PieceToken>& out) {
    for (const PieceToken& token : tokens) out.push_back({token.id, token.begin + base, token.end + base});
  }
  [[nodiscard]] size_t bucket_of(uint64_t hash) const { return (hash >> 20U) % (slots_.size() / kWays) * kWays; }
  void keep(std::string_view word, uint64_t hash);

  std::vector<Slot> slots_;
  std::string words_;
  std::vector<PieceToken> tokens_;
  std::vector<PieceToken> fresh_;
};

}  // namespace dflash
