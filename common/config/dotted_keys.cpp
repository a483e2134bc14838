#include "common/config/dotted_keys.h"

#include <algorithm>

namespace dflash {
namespace {

/// The end of the string that begins with `text`, behind its quotes: that of the line where a string of one line is not
/// closed, which the parser refuses.
size_t string_end(std::string_view text) {
  const char quote = text[0];
  const bool several_lines = text.size() > 2 && text[1] == quote && text[2] == quote;
  const std::string_view closing = text.substr(0, several_lines ? 3 : 1);
  size_t at = closing.size();
  while (at < text.size() && text.substr(at, closing.size()) != closing) {
    if (text[at] == '\n' && !several_lines) return at;
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  }
  at = std::min(text.size(), at + closing.size());
  // One or two quotes right before the closing ones belong to the text.
  for (int extra = 0; several_lines && extra < 2 && at < text.size() && text[at] == quote; ++extra) ++at;
  return at;
}

}  // namespace

std::optional<size_t> line_with_too_many_dots(std::string_view text) {
  size_t line = 1, dots = 0;
  while (!text.empty()) {
    size_t length = 1;
    if (text[0] == '"' || text[0] == '\'') {
      length = string_end(text);
      const auto lines =
          static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(length), '\n'));
      line += lines;
      if (lines > 0) dots = 0;
    } else if (text[0] == '#') {
      length = std::min(text.size(), text.find('\n'));
    } else if (text[0] == '\n') {
      ++line;
      dots = 0;
    } else if (text[0] == '.' && ++dots > kMostDotsPerLine) {
      return line;
    }
    text.remove_prefix(length);
  }
  return std::nullopt;
}

}  // namespace dflash
