// A decoded text for a person to look at: which of its tokens the drafter guessed, and which the target said itself.
#pragma once

#include <string>

#include "common/eval/prompts.h"
#include "common/eval/speculative_decoder.h"
#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

/// One line: how the three kinds of tokens look.
[[nodiscard]] std::string shown_legend(bool colour);

/// A heading with the place of the prompt and its acceptance length, then prompt and answer. In colours: the prompt
/// dim, accepted drafted tokens green, the target's own plain; without: a bar ends the prompt, ⟦⟧ stand around accepted
/// ones.
[[nodiscard]] std::string shown_text(const Prompt& prompt, const Decoded& decoded, const Tokenizer& tokenizer,
                                     bool colour);

}  // namespace dflash
