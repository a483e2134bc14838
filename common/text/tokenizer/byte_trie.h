// ByteTrie: a set of byte strings, to find which of them begin at a place.
//
// Threading: immutable once filled.
// Limits: below 2^32 nodes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/text/tokenizer/models/word_hash.h"

namespace dflash {

class ByteTrie {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  ByteTrie();
  /// A string that is there already keeps the first value when `replace` is false.
  void add(std::string_view bytes, uint32_t value, bool replace = false);

  [[nodiscard]] bool empty() const { return values_.size() == 1; }
  /// Whether any string begins with `byte`.
  [[nodiscard]] bool begins_with(char byte) const { return first_[static_cast<unsigned char>(byte)] != 0; }

  /// Calls visit(length in bytes, value) for each string that `text` begins with, short ones first.
  template <typename Visit>
  void prefixes(std::string_view text, Visit&& visit) const {
    uint32_t node = text.empty() ? 0 : first_[static_cast<unsigned char>(text[0])];
    for (size_t length = 1; node != 0; ++length) {
      if (values_[node] != kNone) visit(length, values_[node]);
      if (length == text.size()) return;
      node = child(node, static_cast<unsigned char>(text[length]));
    }
  }

 private:
  struct Slot {
    uint64_t key = 0;  // node and byte; 0: free (no edge leads from the root, those stand in first_)
    uint32_t node = 0;
  };
  static uint64_t key_of(uint32_t node, unsigned char byte) { return (uint64_t{node} << 8U) | byte; }
  [[nodiscard]] size_t slot_of(uint64_t key) const {
    size_t at = mix_words(key, 0x9E3779B97F4A7C15U) & (slots_.size() - 1);
    while (slots_[at].key != key && slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  /// 0: there is none.
  [[nodiscard]] uint32_t child(uint32_t node, unsigned char byte) const {
    return slots_[slot_of(key_of(node, byte))].node;
  }
  uint32_t add_child(uint32_t node, unsigned char byte);
  void grow();

  std::array<uint32_t, 256> first_{};  // children of the root
  std::vector<Slot> slots_;
  std::vector<uint32_t> values_;  // of each node
};

}  // namespace dflash
