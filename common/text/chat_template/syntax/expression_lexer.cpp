#include "common/text/chat_template/syntax/expression_lexer.h"

#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/syntax/string_literal.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/python_text.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

constexpr std::array<std::string_view, 26> kOperations = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                                          "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                          ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/// Digits, with single underscores between them, from `at`: where they end.
template <class IsDigit>
size_t digits_end(std::string_view text, size_t at, const IsDigit& digit) {
  while (at < text.size() && (digit(text[at]) || (text[at] == '_' && at + 1 < text.size() && digit(text[at + 1]))))
    ++at;
  return at;
}

size_t decimal_end(std::string_view text, size_t at) {
  return at < text.size() && is_digit(text[at]) ? digits_end(text, at, is_digit) : at;
}

/// Length of the float at the beginning of `text`; 0 when there is none.
size_t float_length(std::string_view text) {
  const size_t whole = decimal_end(text, 0);
  if (whole == 0) return 0;
  size_t end = whole;
  bool has_fraction = false;
  if (end < text.size() && text[end] == '.') {
    const size_t fraction = decimal_end(text, end + 1);
    has_fraction = fraction > end + 1;
    if (has_fraction) end = fraction;
  }
  if (end < text.size() && (text[end] | 0x20) == 'e') {
    size_t digits = end + 1;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    const size_t exponent = decimal_end(text, digits);
    if (exponent > digits) return exponent;
  }
  return has_fraction ? end : 0;
}

size_t prefixed_length(std::string_view text) {
  const auto in_base = [&](const std::string_view digits) {
    const size_t begin = text.size() > 2 && text[2] == '_' ? 3 : 2;
    const auto is_member = [digits](char byte) {
      return digits.find(static_cast<char>(byte | 0x20)) != std::string::npos || digits.find(byte) != std::string::npos;
    };
    if (begin >= text.size() || !is_member(text[begin])) return size_t{0};
    return digits_end(text, begin, is_member);
  };
  if (text.size() < 3 || text[0] != '0') return 0;
  switch (text[1] | 0x20) {
    case 'b':
      return in_base("01");
    case 'o':
      return in_base("01234567");
    case 'x':
      return in_base("0123456789abcdef");
    default:
      return 0;
  }
}

/// Length of the integer at the beginning of `text`, which is a digit. Zeros alone may be several.
size_t integer_length(std::string_view text) {
  const size_t prefixed = prefixed_length(text);
  if (prefixed > 0) return prefixed;
  return text[0] == '0' ? digits_end(text, 0, [](char byte) { return byte == '0'; }) : decimal_end(text, 0);
}

std::string without_underscores(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  return plain;
}

Token number_token(std::string_view& rest, int line, bool behind_dot) {
  const size_t real = behind_dot ? 0 : float_length(rest);
  const size_t length = real > 0 ? real : integer_length(rest);
  const std::string digits = without_underscores(rest.substr(0, length));
  rest.remove_prefix(length);
  if (real > 0) return {TokenKind::literal, digits, Value::of_real(parse_real(digits).value_or(0)), line};
  try {
    return {TokenKind::literal, digits, Value::of_integer(parse_integer(digits, 0).value_or(0)), line};
  } catch (Failure& failure) {
    failure.line = line;
    throw;
  }
}

bool in_name(char32_t code_point) {
  if (code_point < 0x80) {
    const auto byte = static_cast<char>(code_point);
    return is_digit(byte) || byte == '_' || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  }
  return (CharacterClasses::get().of(code_point) &
          (CharacterClass::kLetter | CharacterClass::kNumber | CharacterClass::kMark)) != 0;
}

size_t name_length(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const Character character = decode_utf8(text.data() + length);
    if (!in_name(character.code_point)) break;
    length += character.bytes;
  }
  return length;
}

Token string_token(std::string_view& rest, int& line) {
  size_t end = 1;
  while (end < rest.size() && rest[end] != rest[0]) end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size())
    syntax_error(format("unexpected char {} : the string never ends", repr(rest.substr(0, 1))), line);
  const std::string_view content = rest.substr(1, end - 1);
  Token token{TokenKind::literal, "", Value::of_text(string_literal(content, line)), line};
  line += static_cast<int>(std::ranges::count(content, '\n'));
  rest.remove_prefix(end + 1);
  return token;
}

}  // namespace

Token next_expression_token(std::string_view& rest, int& line, bool behind_dot) {
  if (is_digit(rest[0])) return number_token(rest, line, behind_dot);
  if (const size_t length = name_length(rest); length > 0) {
    Token token{TokenKind::name, std::string(rest.substr(0, length)), {}, line};
    rest.remove_prefix(length);
    return token;
  }
  if (rest[0] == '\'' || rest[0] == '"') return string_token(rest, line);
  for (const std::string_view operation : kOperations) {
    if (!rest.starts_with(operation)) continue;
    rest.remove_prefix(operation.size());
    return {TokenKind::operation, std::string(operation), {}, line};
  }
  syntax_error(format("unexpected char {}", repr(rest.substr(0, decode_utf8(rest.data()).bytes))), line);
}

}  // namespace dflash::jinja
