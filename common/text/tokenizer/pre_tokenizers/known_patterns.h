// Matchers of our own for the splitting expressions that most models use: those of GPT-2, of cl100k as Llama 3, Qwen
// and others have it, of o200k (also as Tekken has it), and of DeepSeek. Several times as fast as Oniguruma, and equal
// to it by test.
//
// Threading: immutable.
#pragma once

#include <memory>
#include <string_view>

#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"

namespace dflash {

/// The expression of GPT-2, which ByteLevel brings along.
extern const std::string_view kGpt2Pattern;

/// A matcher for exactly this expression; null when it is not a known one.
[[nodiscard]] std::unique_ptr<const PatternMatcher> known_pattern_matcher(std::string_view pattern);

}  // namespace dflash
