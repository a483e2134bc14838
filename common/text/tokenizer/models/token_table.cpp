#include "common/text/tokenizer/models/token_table.h"

#include <bit>

#include "common/base/error.h"

namespace dflash {
namespace {

constexpr size_t kNearIdsPerToken = 8;
constexpr size_t kNearIds = size_t{1} << 16U;

}  // namespace

TokenTable::TokenTable(size_t tokens, size_t name_bytes) : slots_(std::bit_ceil(2 * tokens + 2)) {
  if (name_bytes > UINT32_MAX) throw Error(ErrorKind::input_file, "a vocabulary of more than 4 GiB");
  names_.reserve(name_bytes);
  entries_.reserve(tokens);
  entry_of_id_.resize(tokens + 1);
}

size_t TokenTable::slot_of(std::string_view token) const {
  const uint64_t hash = hash_word(token);
  const auto tag = static_cast<uint32_t>(hash >> 32U);
  size_t at = hash & (slots_.size() - 1);
  while (slots_[at].entry != 0 && (slots_[at].tag != tag || name(entries_[slots_[at].entry - 1]) != token)) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

void TokenTable::add(std::string_view token, uint32_t id) {
  Slot& slot = slots_[slot_of(token)];
  if (slot.entry == 0) {
    entries_.push_back({static_cast<uint32_t>(names_.size()), static_cast<uint32_t>(token.size()), id});
    names_ += token;
    slot = {static_cast<uint32_t>(hash_word(token) >> 32U), static_cast<uint32_t>(entries_.size())};
  } else {
    entries_[slot.entry - 1].id = id;
  }
  name_id(id, slot.entry);
}

void TokenTable::name_id(uint32_t id, uint32_t entry) {
  if (id >= kNearIds + kNearIdsPerToken * slots_.size()) {
    entry_of_far_id_[id] = entry;
    return;
  }
  if (id >= entry_of_id_.size()) entry_of_id_.resize(size_t{id} + 1 + id / 4);
  entry_of_id_[id] = entry;
}

std::optional<uint32_t> TokenTable::id_of(std::string_view token) const {
  const Slot& slot = slots_[slot_of(token)];
  if (slot.entry == 0) return std::nullopt;
  return entries_[slot.entry - 1].id;
}

std::optional<std::string_view> TokenTable::token_of(uint32_t id) const {
  if (id < entry_of_id_.size()) {
    if (entry_of_id_[id] == 0) return std::nullopt;
    return name(entries_[entry_of_id_[id] - 1]);
  }
  const auto place = entry_of_far_id_.find(id);
  if (place == entry_of_far_id_.end()) return std::nullopt;
  return name(entries_[place->second - 1]);
}

}  // namespace dflash
