#include "common/text/loss_mask/loss_mask.h"

#include <algorithm>

namespace dflash {
std::vector<uint8_t> overlap_mask(std::span<const TokenOffset> offsets, std::span<const CharacterSpan> spans) {
  std::vector<uint8_t> mask(offsets.size(), 0);
  for (size_t i = 0; i < offsets.size(); ++i) {
    // The first span that ends behind the token's begin; those before it end too early for it.
    const auto span = std::ranges::upper_bound(spans, size_t{offsets[i].begin}, {}, &CharacterSpan::end);
    mask[i] = span != spans.end() && offsets[i].end > span->begin ? 1 : 0;
  }
  return mask;
}

MaskedChat mask_chat(const Tokenizer& tokenizer, TokenizerScratch& scratch, const ChatTemplate& chat,
                     const Json& messages, const ChatOptions& options, const MaskRules& rules) {
  MaskedChat masked;
  masked.turns = find_assistant_turns(chat, messages, options, needs_places(rules));
  SupervisedSpans supervised = supervised_spans(masked.turns, chat, messages, options, rules);
  masked.thoughts = supervised.thoughts;
  Encoding encoding;
  tokenizer.encode(masked.turns.text, {.special_tokens = false, .offsets = OffsetUnit::characters}, scratch, encoding);
  masked.loss_mask = rules.supervise == Supervise::everything && !takes_parts_out(rules)
                         ? std::vector<uint8_t>(encoding.ids.size(), 1)  // tokens without characters too
                         : overlap_mask(encoding.offsets, supervised.spans);
  masked.ids = std::move(encoding.ids);
  return masked;
}

}  // namespace dflash
