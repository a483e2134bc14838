// PatternMatcher: finds all matches of a pattern of a tokenizer.json: a regular expression, a literal string, or one of
// the well-known expressions, for which there is a matcher of our own (known_patterns.h).
//
// Threading: immutable.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "common/text/regex/regex.h"
#include "common/text/tokenizer/component_fields.h"

namespace dflash {

class PatternMatcher {
 public:
  PatternMatcher() = default;
  PatternMatcher(const PatternMatcher&) = delete;
  PatternMatcher& operator=(const PatternMatcher&) = delete;
  virtual ~PatternMatcher() = default;

  /// Appends the matches in `text`, ascending and without overlap. An empty match directly behind another is none.
  virtual void find_all(std::string_view text, std::vector<Regex::Match>& matches) const = 0;
};

/// By Oniguruma, whatever the pattern.
[[nodiscard]] std::unique_ptr<const PatternMatcher> make_regex_matcher(std::string_view pattern,
                                                                       const std::string& where);
/// By a matcher of our own where there is one.
[[nodiscard]] std::unique_ptr<const PatternMatcher> make_fastest_matcher(std::string_view pattern,
                                                                         const std::string& where);

/// {"Regex": "..."} or {"String": "..."}.
[[nodiscard]] std::unique_ptr<const PatternMatcher> read_pattern(const ComponentFields& fields, const std::string& key);

}  // namespace dflash
