// A guard in front of the TOML parser, which limits the depth of arrays and tables but not of dotted keys: a.a.a.a ...
// = 1 nests one table for each dot, and a long enough line overflows the stack.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace dflash {

/// The most dots that a line may hold; thousands of files are listed in several lines.
inline constexpr std::ptrdiff_t kMostDotsPerLine = 1000;

/// The first line (from 1) with more; nothing when there is none.
[[nodiscard]] inline std::optional<size_t> line_with_too_many_dots(std::string_view text) {
  for (size_t line = 1; !text.empty(); ++line) {
    const std::string_view here = text.substr(0, text.find('\n'));
    if (std::count(here.begin(), here.end(), '.') > kMostDotsPerLine) return line;
    text.remove_prefix(std::min(text.size(), here.size() + 1));
  }
  return std::nullopt;
}

}  // namespace dflash
