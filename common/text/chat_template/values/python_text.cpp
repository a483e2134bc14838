#include "common/text/chat_template/values/python_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "common/base/format.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/object.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

bool is_printable(char32_t code_point) {
  if (code_point < 0x7F) return code_point >= ' ';
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

void append_escape(std::string& text, char32_t code_point) {
  const auto number = static_cast<uint32_t>(code_point);
  if (number < 0x100) {
    text += format("\\x{:02x}", number);
  } else if (number < 0x10000) {
    text += format("\\u{:04x}", number);
  } else {
    text += format("\\U{:08x}", number);
  }
}

void append_text_repr(std::string& text, std::string_view content) {
  const bool has_single = content.find('\'') != std::string_view::npos;
  const char quote = has_single && content.find('"') == std::string_view::npos ? '"' : '\'';
  text += quote;
  for (size_t i = 0; i < content.size();) {
    const Character character = decode_utf8(content.data() + i);
    const char32_t code_point = character.code_point;
    if (code_point == static_cast<char32_t>(quote) || code_point == '\\') {
      text += '\\';
      text += static_cast<char>(code_point);
    } else if (code_point == '\n' || code_point == '\r' || code_point == '\t') {
      text += code_point == '\n' ? "\\n" : code_point == '\r' ? "\\r" : "\\t";
    } else if (is_printable(code_point)) {
      text.append(content, i, character.bytes);
    } else {
      append_escape(text, code_point);
    }
    i += character.bytes;
  }
  text += quote;
}

void append_items(std::string& text, const std::vector<Value>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ", ";
    append_repr(text, items[i]);
  }
}

void append_sequence_repr(std::string& text, const Sequence& sequence) {
  const auto in_brackets = [&](std::string_view begin, std::string_view end) {
    text += begin;
    append_items(text, sequence.items);
    text += end;
  };
  switch (sequence.kind) {
    case SequenceKind::list:
      return in_brackets("[", "]");
    case SequenceKind::tuple:
    case SequenceKind::group:
      return in_brackets("(", sequence.items.size() == 1 ? ",)" : ")");
    case SequenceKind::dict_keys:
      return in_brackets("dict_keys([", "])");
    case SequenceKind::dict_values:
      return in_brackets("dict_values([", "])");
    case SequenceKind::dict_items:
      return in_brackets("dict_items([", "])");
    case SequenceKind::range:
    case SequenceKind::generator:
      type_error("a range or generator has no text of its own; put `| list` or `| join` behind it");
  }
}

void append_dict_repr(std::string& text, const Dict& dict) {
  text += '{';
  bool first = true;
  for (const auto& [key, value] : dict.entries()) {
    if (!first) text += ", ";
    first = false;
    append_repr(text, key);
    text += ": ";
    append_repr(text, value);
  }
  text += '}';
}

}  // namespace

std::string str(const Value& value) {
  std::string text;
  append_str(text, value);
  return text;
}

void append_str(std::string& text, const Value& value) {
  if (const Text* content = value.text()) {
    text += content->bytes;
  } else if (!value.is_undefined()) {
    append_repr(text, value);
  }
}

void append_repr(std::string& text, const Value& value) {
  switch (value.kind()) {
    case ValueKind::undefined:
      text += "Undefined";
      return;
    case ValueKind::none:
      text += "None";
      return;
    case ValueKind::boolean:
      text += *value.boolean() ? "True" : "False";
      return;
    case ValueKind::integer:
      text += integer_text(value.integer());
      return;
    case ValueKind::real:
      text += real_text(*value.real());
      return;
    case ValueKind::text:
      if (value.text()->markup) text += "Markup(";
      append_text_repr(text, value.text()->bytes);
      if (value.text()->markup) text += ')';
      return;
    case ValueKind::sequence:
      return append_sequence_repr(text, *value.sequence());
    case ValueKind::dict:
      return append_dict_repr(text, *value.dict());
    case ValueKind::object:
      type_error(format("a {} has no text of its own", value.object()->type()));
  }
}

std::string repr(const Value& value) {
  std::string text;
  append_repr(text, value);
  return text;
}

std::string repr(std::string_view content) {
  std::string text;
  append_text_repr(text, content);
  return text;
}

std::string integer_text(Integer value) {
  if (value == 0) return "0";
  std::string digits;
  for (Integer rest = value; rest != 0; rest /= 10) {
    const auto digit = static_cast<int>(rest % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (value < 0) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view scientific(buffer.data(), static_cast<size_t>(written.ptr - buffer.data()));
  const size_t mark = scientific.find('e');
  int exponent = 0;
  const char* digits = scientific.data() + mark + 1;
  std::from_chars(*digits == '+' ? digits + 1 : digits, scientific.data() + scientific.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(scientific);
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  std::string text(buffer.data(), fixed.ptr);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace dflash::jinja
