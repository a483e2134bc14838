#include "common/text/loss_mask/loss_mask.h"

#include <algorithm>
#include <limits>

namespace dflash {
namespace {

std::vector<CharacterSpan> supervised_spans(const AssistantTurns& turns, Supervise supervise) {
  switch (supervise) {
    case Supervise::everything:
      return {{0, std::numeric_limits<size_t>::max()}};
    case Supervise::last_turn:
      return turns.spans.empty() ? turns.spans : std::vector{turns.spans.back()};
    case Supervise::all_turns:
      break;
  }
  return turns.spans;
}

}  // namespace

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
                     const Json& messages, const ChatOptions& options, Supervise supervise) {
  MaskedChat masked;
  masked.turns = find_assistant_turns(chat, messages, options);
  Encoding encoding;
  tokenizer.encode(masked.turns.text, {.special_tokens = false, .offsets = OffsetUnit::characters}, scratch, encoding);
  masked.loss_mask = overlap_mask(encoding.offsets, supervised_spans(masked.turns, supervise));
  masked.ids = std::move(encoding.ids);
  return masked;
}

}  // namespace dflash
