// Python's string algorithms on UTF-8: white space, stripping, splitting, indexing in code points.
//
// Threading: functions only. Limits: texts must be valid UTF-8.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

/// str.isspace of one character: Unicode's white space, and U+001C..1F.
[[nodiscard]] bool is_python_space(char32_t code_point);

enum class Side : uint8_t { left, right, both };

/// Without the characters at its ends for which `removed` holds.
[[nodiscard]] std::string_view strip_if(std::string_view text, Side side, const std::function<bool(char32_t)>& removed);
[[nodiscard]] std::string_view strip_spaces(std::string_view text, Side side = Side::both);
/// Without characters of `set` at its ends.
[[nodiscard]] std::string_view strip_characters(std::string_view text, std::string_view set, Side side = Side::both);

/// split(): the words between white space. At most `most` cuts (negative: all), from the left or from the right.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text, int64_t most, bool from_right);
/// split(separator); `separator` is not empty.
[[nodiscard]] std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, int64_t most,
                                                     bool from_right);
/// splitlines(): at every line boundary that Python knows.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

/// Byte offset of character `index`, which may be the end.
[[nodiscard]] size_t byte_of(const Text& text, size_t index);
/// Characters [begin, end).
[[nodiscard]] std::string_view characters_of(const Text& text, size_t begin, size_t end);

/// `text` with the first `most` (negative: all) of `old` replaced; an empty `old` stands between all characters.
/// The length of the result is given to `expect` before it is made.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view old, std::string_view fresh, int64_t most,
                                      const std::function<void(size_t)>& expect);

/// How often `part` stands in `text`, without overlaps; an empty one stands once more than there are characters.
[[nodiscard]] size_t count_of(std::string_view text, std::string_view part);

}  // namespace dflash::jinja
