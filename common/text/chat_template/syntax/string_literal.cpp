#include "common/text/chat_template/syntax/string_literal.h"

#include <charconv>

#include "common/base/format.h"
#include "common/text/chat_template/run/failure.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

/// The character of one escape letter; 0 when it is none of the simple ones.
char simple_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
      return letter;
    default:
      return 0;
  }
}

/// `digits` hexadecimal digits behind `at`.
char32_t hexadecimal(std::string_view content, size_t at, size_t digits, int line) {
  uint32_t number = 0;
  const char* const begin = content.data() + at;
  const char* const end = begin + digits;
  if (at + digits > content.size() || std::from_chars(begin, end, number, 16).ptr != end || *begin == '-') {
    syntax_error(format("a \\x, \\u or \\U in a string needs {} hexadecimal digits", digits), line);
  }
  if (number >= 0x110000 || (number >= 0xD800 && number < 0xE000)) {
    syntax_error(format("a string names U+{:04X}, which is no character", number), line);
  }
  return number;
}

/// Up to three octal digits at `at`: the code point, and how many they were.
std::pair<char32_t, size_t> octal(std::string_view content, size_t at) {
  char32_t number = 0;
  size_t digits = 0;
  for (; digits < 3 && at + digits < content.size(); ++digits) {
    const char digit = content[at + digits];
    if (digit < '0' || digit > '7') break;
    number = number * 8 + static_cast<char32_t>(digit - '0');
  }
  return {number, digits};
}

size_t hexadecimal_digits(char letter) {
  return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

}  // namespace

std::string string_literal(std::string_view content, int line) {
  std::string result;
  for (size_t at = 0; at < content.size();) {
    if (content[at] != '\\' || at + 1 == content.size()) {
      result += content[at++];
      continue;
    }
    const char letter = content[at + 1];
    if (const char simple = simple_escape(letter)) {
      result += simple;
      at += 2;
    } else if (const size_t digits = hexadecimal_digits(letter)) {
      append_utf8(result, hexadecimal(content, at + 2, digits, line));
      at += 2 + digits;
    } else if (letter >= '0' && letter <= '7') {
      const auto [code_point, length] = octal(content, at + 1);
      append_utf8(result, code_point);
      at += 1 + length;
    } else if (letter == '\n') {
      at += 2;  // a line that goes on
    } else {
      if (letter == 'N') syntax_error("\\N{...} in a string is not supported", line);
      result += content[at++];  // unknown escapes stay as they are
    }
  }
  return result;
}

}  // namespace dflash::jinja
