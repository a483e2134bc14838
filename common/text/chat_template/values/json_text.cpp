#include "common/text/chat_template/values/json_text.h"

#include <algorithm>
#include <cmath>

#include "common/base/format.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/python_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

void append_unicode_escape(std::string& text, char32_t code_point) {
  const auto number = static_cast<uint32_t>(code_point);
  if (number < 0x10000) {
    text += format("\\u{:04x}", number);
  } else {
    text += format("\\u{:04x}\\u{:04x}", 0xD800 + ((number - 0x10000) >> 10U), 0xDC00 + ((number - 0x10000) & 0x3FFU));
  }
}

/// The two characters that stand for `byte`, or nothing.
std::string_view short_escape(char byte) {
  switch (byte) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    default:
      return "";
  }
}

void append_json_string(std::string& text, std::string_view content, bool ensure_ascii) {
  text += '"';
  for (size_t at = 0; at < content.size();) {
    const Character character = decode_utf8(content.data() + at);
    const std::string_view escape = short_escape(content[at]);
    if (!escape.empty()) {
      text += escape;
    } else if (character.code_point < ' ' || (ensure_ascii && character.code_point > 0x7E)) {
      append_unicode_escape(text, character.code_point);
    } else {
      text.append(content, at, character.bytes);
    }
    at += character.bytes;
  }
  text += '"';
}

std::string json_number(const Value& value) {
  if (value.is_integral()) return integer_text(value.integer());
  const double number = *value.real();
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return real_text(number);
}

/// Keys become texts: numbers, true, false and null as JSON writes them.
std::string key_text(const Value& key) {
  if (const Text* text = key.text()) return text->bytes;
  if (const bool* flag = key.boolean()) return *flag ? "true" : "false";
  if (key.is_none()) return "null";
  if (key.is_number()) return json_number(key);
  type_error(format("keys must be str, int, float, bool or None, not {}", type_name(key)));
}

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case ValueKind::none:
        text_ += "null";
        return;
      case ValueKind::boolean:
        text_ += *value.boolean() ? "true" : "false";
        return;
      case ValueKind::integer:
      case ValueKind::real:
        text_ += json_number(value);
        return;
      case ValueKind::text:
        return append_json_string(text_, value.text()->bytes, style_.ensure_ascii);
      case ValueKind::dict:
        return write_dict(*value.dict());
      case ValueKind::sequence:
        if (is_array(value.sequence()->kind)) return write_list(value.sequence()->items);
        break;
      default:
        break;
    }
    type_error(format("Object of type {} is not JSON serializable", type_name(value)));
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static bool is_array(SequenceKind kind) {
    return kind == SequenceKind::list || kind == SequenceKind::tuple || kind == SequenceKind::group;
  }
  void new_line() {
    if (!style_.indent) return;
    text_ += '\n';
    for (int i = 0; i < depth_; ++i) text_ += *style_.indent;
  }
  template <class Items, class Write>
  void write_items(char begin, char end, const Items& items, const Write& write_one) {
    text_ += begin;
    ++depth_;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text_ += style_.between_items;
      new_line();
      write_one(items[i]);
    }
    --depth_;
    if (!items.empty()) new_line();
    text_ += end;
  }
  void write_list(const std::vector<Value>& items) {
    write_items('[', ']', items, [this](const Value& item) { write(item); });
  }
  void write_entry(const Dict::Entry& entry) {
    append_json_string(text_, key_text(entry.first), style_.ensure_ascii);
    text_ += style_.behind_keys;
    write(entry.second);
  }
  void write_dict(const Dict& dict) {
    const auto write_one = [this](const Dict::Entry& entry) { write_entry(entry); };
    if (!style_.sort_keys) return write_items('{', '}', dict.entries(), write_one);
    std::vector<Dict::Entry> sorted = dict.entries();
    std::ranges::stable_sort(sorted, is_less, &Dict::Entry::first);
    write_items('{', '}', sorted, write_one);
  }

  const JsonStyle& style_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string json_text(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  writer.write(value);
  return writer.take();
}

}  // namespace dflash::jinja
