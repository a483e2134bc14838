// Matchers of our own for the three patterns that DeepSeek's files split by, one after the other: numbers, Chinese and
// Japanese, words.
//
// Threading: functions only.
#pragma once

#include <memory>
#include <string_view>

#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"

namespace dflash {

/// Null when `pattern` is none of these.
[[nodiscard]] std::unique_ptr<const PatternMatcher> deepseek_pattern_matcher(std::string_view pattern);

}  // namespace dflash
