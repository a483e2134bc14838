#include "common/text/shown/styled_text.h"

#include "common/base/format.h"
#include "common/text/shown/visible_text.h"
#include "common/text/tokenizer/decode_stream.h"

namespace dflash {
namespace {

constexpr std::string_view kPlain = "\033[0m";

std::string coloured_run(std::string_view text, const TextStyle& style) {
  if (style.colour.empty()) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out += format("{}{}{}", style.colour, text.substr(0, end), kPlain);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string styled_run(std::string_view text, const TextStyle& style, bool colour) {
  if (text.empty()) return "";
  const std::string visible = visible_text(text);
  return colour ? coloured_run(visible, style) : format("{}{}{}", style.open, visible, style.close);
}

std::string styled_text(const Tokenizer& tokenizer, std::span<const StyledToken> tokens,
                        std::span<const TextStyle> styles, bool colour) {
  DecodeStream stream(tokenizer, /*skip_special_tokens=*/false);
  std::string out, run;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto [id, style] = tokens[i];
    run += tokenizer.token_of(id) ? stream.add(id) : format("<id {}>", id);
    const bool last = i + 1 == tokens.size();
    if (last) run += stream.finish();
    if (!last && tokens[i + 1].style == style) continue;
    out += styled_run(run, styles[style], colour);
    run.clear();
  }
  return out;
}

}  // namespace dflash
