// What a generation prompt begins of an answer: some templates end it with "<think>", which then belongs to the answer.
//
// Threading: functions only.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

/// "<think>" and the white space behind it, when the prompt `ids` ends so; else nothing. To stand before the answer's
/// own text in `content`.
[[nodiscard]] std::string begun_thought(const Tokenizer& tokenizer, std::span<const int32_t> ids);

}  // namespace dflash
