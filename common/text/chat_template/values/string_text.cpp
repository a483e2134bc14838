#include "common/text/chat_template/values/string_text.h"

#include <algorithm>
#include <optional>

#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

/// The next line boundary at or behind `from`: where it begins and ends.
std::optional<std::pair<size_t, size_t>> line_boundary(std::string_view text, size_t from) {
  for (size_t i = from; i < text.size();) {
    const Character character = decode_utf8(text.data() + i);
    const char32_t code_point = character.code_point;
    const size_t end = i + character.bytes;
    if (code_point == '\r' && end < text.size() && text[end] == '\n') return std::pair{i, end + 1};
    if ((code_point >= 0xA && code_point <= 0xD) || (code_point >= 0x1C && code_point <= 0x1E) || code_point == 0x85 ||
        code_point == 0x2028 || code_point == 0x2029) {
      return std::pair{i, end};
    }
    i = end;
  }
  return std::nullopt;
}

std::vector<std::string_view> split_words_from_left(std::string_view text, int64_t most) {
  std::vector<std::string_view> words;
  for (text = strip_spaces(text, Side::left); !text.empty(); text = strip_spaces(text, Side::left)) {
    size_t end = 0;
    while (end < text.size()) {
      const Character character = decode_utf8(text.data() + end);
      if (is_python_space(character.code_point)) break;
      end += character.bytes;
    }
    if (most >= 0 && words.size() == static_cast<size_t>(most)) {
      words.push_back(strip_spaces(text, Side::right));
      return words;
    }
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::vector<std::string_view> split_words_from_right(std::string_view text, int64_t most) {
  std::vector<std::string_view> words;
  for (text = strip_spaces(text, Side::right); !text.empty(); text = strip_spaces(text, Side::right)) {
    size_t begin = text.size();
    while (begin > 0) {
      const Character character = decode_utf8_before(text, begin);
      if (is_python_space(character.code_point)) break;
      begin -= character.bytes;
    }
    if (most >= 0 && words.size() == static_cast<size_t>(most)) {
      words.push_back(strip_spaces(text, Side::left));
      break;
    }
    words.push_back(text.substr(begin));
    text = text.substr(0, begin);
  }
  std::ranges::reverse(words);
  return words;
}

}  // namespace

bool is_python_space(char32_t code_point) {
  return is_space(code_point) || (code_point >= 0x1C && code_point <= 0x1F);
}

std::string_view strip_if(std::string_view text, Side side, const std::function<bool(char32_t)>& removed) {
  while (side != Side::right && !text.empty()) {
    const Character character = decode_utf8(text.data());
    if (!removed(character.code_point)) break;
    text.remove_prefix(character.bytes);
  }
  while (side != Side::left && !text.empty()) {
    const Character character = decode_utf8_before(text, text.size());
    if (!removed(character.code_point)) break;
    text.remove_suffix(character.bytes);
  }
  return text;
}

std::string_view strip_spaces(std::string_view text, Side side) {
  return strip_if(text, side, is_python_space);
}

std::string_view strip_characters(std::string_view text, std::string_view set, Side side) {
  return strip_if(text, side,
                  [set](char32_t code_point) { return set.find(to_utf8(code_point)) != std::string::npos; });
}

std::vector<std::string_view> split_words(std::string_view text, int64_t most, bool from_right) {
  return from_right ? split_words_from_right(text, most) : split_words_from_left(text, most);
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, int64_t most,
                                       bool from_right) {
  std::vector<std::string_view> parts;
  const auto may_cut = [&] { return most < 0 || parts.size() < static_cast<size_t>(most); };
  while (may_cut()) {
    const size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(from_right ? text.substr(at + separator.size()) : text.substr(0, at));
    text = from_right ? text.substr(0, at) : text.substr(at + separator.size());
  }
  parts.push_back(text);
  if (from_right) std::ranges::reverse(parts);
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const auto boundary = line_boundary(text, begin).value_or(std::pair{text.size(), text.size()});
    lines.push_back(text.substr(begin, (keep_ends ? boundary.second : boundary.first) - begin));
    begin = boundary.second;
  }
  return lines;
}

size_t byte_of(const Text& text, size_t index) {
  if (text.ascii() || index == 0) return index;
  if (index == text.characters) return text.bytes.size();
  size_t at = 0;
  for (; index > 0; --index) at += utf8_bytes(static_cast<unsigned char>(text.bytes[at]));
  return at;
}

std::string_view characters_of(const Text& text, size_t begin, size_t end) {
  const size_t first = byte_of(text, begin);
  return std::string_view(text.bytes).substr(first, byte_of(text, end) - first);
}

std::string replace_all(std::string_view text, std::string_view old, std::string_view fresh, int64_t most,
                        const std::function<void(size_t)>& expect) {
  const size_t found = count_of(text, old);
  const size_t times = most < 0 ? found : std::min(found, static_cast<size_t>(most));
  const size_t added = fresh.empty() || times == 0 ? 0 : fresh.size();
  size_t length = 0;
  if (__builtin_mul_overflow(times, added, &length) || __builtin_add_overflow(length, text.size(), &length)) {
    length = SIZE_MAX;
  }
  expect(length);
  std::string result;
  size_t at = 0;
  for (size_t done = 0; done < times; ++done) {
    if (old.empty()) {
      result += fresh;
      const size_t bytes = at < text.size() ? utf8_bytes(static_cast<unsigned char>(text[at])) : 0;
      result += text.substr(at, bytes);
      at += bytes;
    } else {
      const size_t next = text.find(old, at);
      result += text.substr(at, next - at);
      result += fresh;
      at = next + old.size();
    }
  }
  return result += text.substr(std::min(at, text.size()));
}

size_t count_of(std::string_view text, std::string_view part) {
  if (part.empty()) return count_characters(text) + 1;
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace dflash::jinja
