// Rewriting a text character by character.
#pragma once

#include <vector>

#include "common/text/tokenizer/aligned_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash {

/// Keeps the characters that `keep(code_point)`, as `map(code_point)`.
template <typename Keep, typename Map>
void filter_characters(AlignedText& text, Keep&& keep, Map&& map) {
  std::vector<CharacterChange> changes;
  size_t removed_first = 0;
  const std::string_view old = text.text();
  for (size_t i = 0; i < old.size();) {
    const Character character = decode_utf8(old.data() + i);
    i += character.bytes;
    if (keep(character.code_point)) {
      changes.push_back({map(character.code_point), 0});
    } else if (changes.empty()) {
      ++removed_first;
    } else {
      --changes.back().change;
    }
  }
  text.transform(changes, removed_first);
}

}  // namespace dflash
