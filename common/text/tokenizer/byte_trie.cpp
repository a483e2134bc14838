#include "common/text/tokenizer/byte_trie.h"

namespace dflash {

ByteTrie::ByteTrie() : slots_(64), values_(1, kNone) {}

void ByteTrie::add(std::string_view bytes, uint32_t value, bool replace) {
  if (bytes.empty()) return;
  uint32_t node = 0;
  for (const char byte : bytes) node = add_child(node, static_cast<unsigned char>(byte));
  if (replace || values_[node] == kNone) values_[node] = value;
}

uint32_t ByteTrie::add_child(uint32_t node, unsigned char byte) {
  if (node == 0) {
    if (first_[byte] == 0) {
      first_[byte] = static_cast<uint32_t>(values_.size());
      values_.push_back(kNone);
    }
    return first_[byte];
  }
  if (values_.size() * 2 > slots_.size()) grow();
  Slot& slot = slots_[slot_of(key_of(node, byte))];
  if (slot.key == 0) {
    slot = {key_of(node, byte), static_cast<uint32_t>(values_.size())};
    values_.push_back(kNone);
  }
  return slot.node;
}

void ByteTrie::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key != 0) slots_[slot_of(slot.key)] = slot;
  }
}

}  // namespace dflash
