// TokenTable: names of tokens and their ids, both ways.
//
// Threading: immutable once filled.
// Owns: copies of all names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/text/tokenizer/models/word_hash.h"

namespace dflash {

class TokenTable {
 public:
  /// Room for `tokens` names of `name_bytes` bytes in all; add() must not go beyond.
  TokenTable(size_t tokens, size_t name_bytes);

  /// A name that is there already gets the new id. An id that is there already is spelled by the new name.
  void add(std::string_view token, uint32_t id);

  [[nodiscard]] std::optional<uint32_t> id_of(std::string_view token) const;
  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const;
  /// How many different names there are.
  [[nodiscard]] size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint32_t begin;
    uint32_t bytes;
    uint32_t id;
  };
  struct Slot {
    uint32_t tag;    // upper half of the hash
    uint32_t entry;  // index + 1; 0: free
  };
  [[nodiscard]] std::string_view name(const Entry& entry) const { return {names_.data() + entry.begin, entry.bytes}; }
  /// The slot of `token`, or the free one where it belongs.
  [[nodiscard]] size_t slot_of(std::string_view token) const;
  void name_id(uint32_t id, uint32_t entry);

  std::string names_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> entry_of_id_;                       // index + 1; 0: no such id
  std::unordered_map<uint32_t, uint32_t> entry_of_far_id_;  // ids far beyond the number of names
};

}  // namespace dflash
