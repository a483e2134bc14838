// A guard in front of the TOML parser, which limits the depth of arrays and tables but not of dotted keys: a.a.a.a ...
// = 1 nests one table for each dot, and a long enough line overflows the stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dflash {

/// The most dots that a line may hold outside of strings and comments.
inline constexpr size_t kMostDotsPerLine = 1000;

/// The first line (from 1) with more; nothing when there is none.
[[nodiscard]] std::optional<size_t> line_with_too_many_dots(std::string_view text);

}  // namespace dflash
