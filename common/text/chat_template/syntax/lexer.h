// The lexer: a template's text becomes tokens, with the white space rules that transformers sets: the newline behind a
// block is dropped (trim_blocks), spaces before a block that begins its line too (lstrip_blocks); '-' strips all white
// space on its side, '+' keeps it. Line ends become LF; one final newline is dropped.
//
// Threading: functions only.
#pragma once

#include <string_view>
#include <vector>

#include "common/text/chat_template/syntax/token.h"

namespace dflash::jinja {

/// The tokens of `source` (valid UTF-8), the last of kind end. Throws a syntax Failure with its line.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

}  // namespace dflash::jinja
