// Pre-tokenizers that look at one character at a time: Whitespace, WhitespaceSplit, BertPreTokenizer, Punctuation,
// Digits, CharDelimiterSplit, FixedLength.
//
// Threading: functions only.
#pragma once

#include <memory>
#include <string>

#include "common/text/tokenizer/pre_tokenizers/pre_tokenizer.h"

namespace dflash {

/// The pre-tokenizer of this type; null when it is none of these.
[[nodiscard]] std::unique_ptr<PreTokenizer> make_character_split(const std::string& type,
                                                                 const ComponentFields& fields);

/// A word character of the reference's added tokens and of Whitespace: \w with the two joiners U+200C and U+200D,
/// without the superscripts and fractions of Latin-1 (they have another engine there).
[[nodiscard]] bool is_word_character(char32_t code_point);

}  // namespace dflash
