#include "common/eval/shown_text.h"

#include <array>

#include "common/base/format.h"
#include "common/eval/acceptance_report.h"
#include "common/text/shown/styled_text.h"
#include "common/text/shown/visible_text.h"

namespace dflash {
namespace {

enum Style : uint32_t { kPrompt, kAccepted, kOwn };

constexpr std::array<TextStyle, 3> kStyles{{{"\033[2m", "", "¦"}, {"\033[32m", "⟦", "⟧"}, {"", "", ""}}};

void add(std::vector<StyledToken>& tokens, int64_t id, Style style) {
  tokens.push_back({static_cast<uint32_t>(id), style});
}

std::vector<StyledToken> styled_tokens(const Decoded& decoded) {
  std::vector<StyledToken> tokens;
  const auto prompt_tokens = static_cast<size_t>(decoded.prompt_tokens);
  for (size_t i = 0; i < prompt_tokens; ++i) add(tokens, decoded.ids[i], kPrompt);
  add(tokens, decoded.ids[prompt_tokens], kOwn);  // from the pass over the prompt
  for (const DecodeStep& step : decoded.steps) {
    for (size_t i = 0; i < step.committed.size(); ++i) {
      add(tokens, step.committed[i], static_cast<int64_t>(i) < step.accepted ? kAccepted : kOwn);
    }
  }
  return tokens;
}

std::string heading(const Prompt& prompt, const Decoded& decoded) {
  AcceptanceCounts counts;
  counts.add(decoded);
  std::string text = format("--- {}", visible_line(prompt.where));
  if (!prompt.id.empty()) text += format(" {}", visible_line(prompt.id));
  return text + format(" ({}): {} new tokens, {} target passes, acceptance length {:.3f}\n", visible_line(prompt.kind),
                       static_cast<int64_t>(decoded.ids.size()) - decoded.prompt_tokens, counts.target_passes,
                       counts.acceptance_length());
}

}  // namespace

std::string shown_legend(bool colour) {
  return format("{} {} {}\n", styled_run("prompt", kStyles[kPrompt], colour),
                styled_run("accepted drafted tokens", kStyles[kAccepted], colour),
                styled_run("the target's own tokens", kStyles[kOwn], colour));
}

std::string shown_text(const Prompt& prompt, const Decoded& decoded, const Tokenizer& tokenizer, bool colour) {
  return heading(prompt, decoded) + styled_text(tokenizer, styled_tokens(decoded), kStyles, colour) + "\n";
}

}  // namespace dflash
