// What becomes of the matches of a pattern, and of what stands between them.
//
// Threading: functions only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/text/regex/regex.h"
#include "common/text/tokenizer/component_fields.h"
#include "common/text/tokenizer/segments.h"
#include "common/text/unicode/utf8.h"

namespace dflash {

enum class SplitBehavior : uint8_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// "Removed", "Isolated", ... as tokenizer.json spells them; Error{input_file} for another word.
[[nodiscard]] SplitBehavior read_split_behavior(const ComponentFields& fields, const std::string& key);

/// A gap or a match.
struct SplitPart {
  size_t begin;
  size_t end;
  bool is_match;
};
/// Joins neighbours as the three joining behaviors want it.
[[nodiscard]] std::vector<SplitPart> join_parts(std::vector<SplitPart> parts, SplitBehavior behavior);

/// Calls visit(part) for gaps and matches in their order. Gaps are never empty.
template <typename Visit>
void visit_parts(size_t text_bytes, std::span<const Regex::Match> matches, bool inverted, Visit&& visit) {
  size_t done = 0;
  for (const Regex::Match& match : matches) {
    if (match.begin > done) visit(SplitPart{done, match.begin, inverted});
    visit(SplitPart{match.begin, match.end, !inverted});
    done = match.end;
  }
  if (done < text_bytes) visit(SplitPart{done, text_bytes, inverted});
}

/// Emits the parts of `slice` that are left. `matches`: ascending, without overlap. `inverted`: matches and gaps change
/// places first.
template <typename Emit>
void split_at_matches(const TextSlice& slice, std::span<const Regex::Match> matches, SplitBehavior behavior,
                      bool inverted, Emit&& emit) {
  if (behavior == SplitBehavior::isolated || behavior == SplitBehavior::removed) {
    const bool keep_matches = behavior == SplitBehavior::isolated;
    visit_parts(slice.text.size(), matches, inverted, [&](const SplitPart& part) {
      if (keep_matches || !part.is_match) emit(slice.part(part.begin, part.end));
    });
    return;
  }
  std::vector<SplitPart> parts;
  visit_parts(slice.text.size(), matches, inverted, [&](const SplitPart& part) { parts.push_back(part); });
  for (const SplitPart& part : join_parts(std::move(parts), behavior)) emit(slice.part(part.begin, part.end));
}

/// Appends a match for each character of `text` that `is_wanted(code_point)`.
template <typename IsWanted>
void match_characters(std::string_view text, IsWanted&& is_wanted, std::vector<Regex::Match>& matches) {
  for (size_t i = 0; i < text.size();) {
    const Character character = decode_utf8(text.data() + i);
    if (is_wanted(character.code_point)) matches.push_back({i, i + character.bytes});
    i += character.bytes;
  }
}

}  // namespace dflash
