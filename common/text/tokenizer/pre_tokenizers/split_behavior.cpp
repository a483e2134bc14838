#include "common/text/tokenizer/pre_tokenizers/split_behavior.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/format.h"
#include "common/base/one_line.h"

namespace dflash {
namespace {

constexpr std::array<std::pair<const char*, SplitBehavior>, 5> kNames{
    {{"Removed", SplitBehavior::removed},
     {"Isolated", SplitBehavior::isolated},
     {"MergedWithPrevious", SplitBehavior::merged_with_previous},
     {"MergedWithNext", SplitBehavior::merged_with_next},
     {"Contiguous", SplitBehavior::contiguous}}};

/// Whether `part`, which follows a match or not, joins the part before it.
bool joins(const SplitPart& part, bool previous_is_match, SplitBehavior behavior) {
  return behavior == SplitBehavior::contiguous ? part.is_match == previous_is_match
                                               : part.is_match && !previous_is_match;
}

}  // namespace

SplitBehavior read_split_behavior(const ComponentFields& fields, const std::string& key) {
  const std::string name = fields.text(key);
  for (const auto& [known, behavior] : kNames) {
    if (name == known) return behavior;
  }
  fields.refuse(key, format("is '{}': expected Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous",
                            one_line(name)));
}

std::vector<SplitPart> join_parts(std::vector<SplitPart> parts, SplitBehavior behavior) {
  const bool backwards = behavior == SplitBehavior::merged_with_next;
  if (backwards) std::ranges::reverse(parts);
  std::vector<SplitPart> joined;
  bool previous_is_match = false;
  for (const SplitPart& part : parts) {
    if (!joined.empty() && joins(part, previous_is_match, behavior)) {
      joined.back().begin = std::min(joined.back().begin, part.begin);
      joined.back().end = std::max(joined.back().end, part.end);
    } else {
      joined.push_back(part);
    }
    previous_is_match = part.is_match;
  }
  if (backwards) std::ranges::reverse(joined);
  return joined;
}

}  // namespace dflash
