// Normal forms C, D, KC and KD, with the trace of every character: what it replaces, what it adds, what it swallows.
//
// Tables: utf8proc, without what is newer than the reference library's own (kUndecomposed, kCombining).
//
// Threading: functions only; tables are made at the first call.
// Limits: text must be valid UTF-8.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dflash {

/// One character of a new text, and what it did to the old one: 0 it replaces the next old character; 1 it is added,
/// behind what was used so far; -n it replaces the next old character and the n after that are gone.
struct CharacterChange {
  char32_t code_point;
  int32_t change;
};

enum class NormalForm : uint8_t { c, d, kc, kd };

/// True when `text` certainly is in `form`: every character stands for itself, whatever its neighbours.
[[nodiscard]] bool surely_normal(NormalForm form, std::string_view text);

/// `text` in `form`. Composition keeps the change of the first of the characters it joins.
[[nodiscard]] std::vector<CharacterChange> normalize(NormalForm form, std::string_view text);

}  // namespace dflash
