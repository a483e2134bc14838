// Token ids as text for a person to look at: runs of tokens in colours, or between marks where there is no colour.
//
//   const std::vector<TextStyle> styles{{"\033[2m", "", ""}, {"\033[32m", "[", "]"}};
//   std::cout << styled_text(tokenizer, {{2045, 0}, {82, 1}}, styles, /*colour=*/true);
//
// Special tokens are shown. What the data hold cannot reach the terminal raw: see visible_text.h.
//
// Threading: functions only.
// Limits: a character that is made of several tokens has the style of the last of them; a byte token (<0xE4>) that of
// the token behind it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

struct TextStyle {
  std::string_view colour;  // how a terminal turns it on; "" is plain
  std::string_view open;    // without colours: what stands before a run
  std::string_view close;   // and behind it
};

struct StyledToken {
  uint32_t id;
  uint32_t style;  // index
};

/// Colours end at every line end and begin anew behind it, for pagers. An id that the tokenizer does not know is <id
/// N>.
[[nodiscard]] std::string styled_text(const Tokenizer& tokenizer, std::span<const StyledToken> tokens,
                                      std::span<const TextStyle> styles, bool colour);
/// One run, for legends: `text` as it is shown.
[[nodiscard]] std::string styled_run(std::string_view text, const TextStyle& style, bool colour);

}  // namespace dflash
