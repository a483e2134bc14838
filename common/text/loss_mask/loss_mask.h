// The loss mask of a conversation: which of its tokens a drafter may learn from.
//
//   const MaskedChat masked = mask_chat(tokenizer, scratch, chat, prepare_messages(messages), options,
//   {.reasoning = false});
//
// Supervised is what the assistant produced, end-of-turn token included (chat_template/assistant_turns.h finds it from
// the template itself). A token is supervised when it overlaps such a span, by its characters: a token that lies across
// the border counts. Chats are encoded without the special tokens a tokenizer adds: the template writes them.
//
// Threading: functions only; a scratch for each thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/text/chat_template/assistant_turns.h"
#include "common/text/loss_mask/mask_rules.h"
#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

struct MaskedChat {
  AssistantTurns turns;  ///< the text, and what was found in it
  std::vector<uint32_t> ids;
  std::vector<uint8_t> loss_mask;  ///< 1 for supervised, one for each id
  int64_t thoughts = 0;            ///< that the rules took out of the mask
};

/// mask[i] = 1 when token i overlaps a span: begin < span.end and end > span.begin. Spans in ascending order.
[[nodiscard]] std::vector<uint8_t> overlap_mask(std::span<const TokenOffset> offsets,
                                                std::span<const CharacterSpan> spans);

/// `messages` as prepare_messages gives them. Error{input_file} as rendering, encoding and
/// supervised_spans.
[[nodiscard]] MaskedChat mask_chat(const Tokenizer& tokenizer, TokenizerScratch& scratch, const ChatTemplate& chat,
                                   const Json& messages, const ChatOptions& options, const MaskRules& rules);

}  // namespace dflash
