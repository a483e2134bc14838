#include "common/text/chat_template/values/printf_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/base/format.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/python_text.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

constexpr size_t kWidestField = 100'000;
constexpr int kFinestPrecision = 1000;

struct Conversion {
  bool left = false;
  bool zero = false;
  bool alternate = false;
  bool plus = false;
  bool space = false;
  size_t width = 0;
  int precision = -1;
  char letter = 's';
};

/// Gives the values one after another, or by name.
class ValueSource {
 public:
  explicit ValueSource(const Value& values) : values_(values) {
    const Sequence* sequence = values.sequence();
    if (sequence != nullptr && (sequence->kind == SequenceKind::tuple || sequence->kind == SequenceKind::group)) {
      tuple_ = sequence;
    }
  }
  const Value& next() {
    if (tuple_ != nullptr) {
      if (used_ < tuple_->items.size()) return tuple_->items[used_++];
    } else if (used_++ == 0) {
      return values_;
    }
    type_error("not enough arguments for format string");
  }
  const Value& named(std::string_view name) {
    named_ = true;
    if (values_.dict() == nullptr) type_error("format requires a mapping");
    const Value* value = values_.dict()->find(name);
    if (value == nullptr) type_error(repr(name));
    return *value;
  }
  void expect_end() const {
    const bool unused = tuple_ != nullptr ? used_ < tuple_->items.size() : used_ == 0;
    if (unused && !named_ && values_.dict() == nullptr && (tuple_ != nullptr || values_.sequence() == nullptr)) {
      type_error("not all arguments converted during string formatting");
    }
  }

 private:
  const Value& values_;
  const Sequence* tuple_ = nullptr;
  size_t used_ = 0;
  bool named_ = false;
};

class FormatReader {
 public:
  FormatReader(std::string_view text, ValueSource& source) : text_(text), source_(source) {}

  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  std::string_view literal() {
    const size_t begin = at_;
    at_ = std::min(text_.find('%', at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  /// Behind a '%': flags, width, precision, letter, and which value.
  Conversion conversion(const Value*& value) {
    ++at_;
    Conversion result;
    if (peek() == '(') value = &source_.named(name());
    while (flag(result)) ++at_;
    result.width = static_cast<size_t>(number(kWidestField));
    if (peek() == '.') {
      ++at_;
      result.precision = static_cast<int>(number(kFinestPrecision));
    }
    while (peek() == 'l' || peek() == 'h' || peek() == 'L') ++at_;
    if (done()) type_error("incomplete format");
    result.letter = text_[at_++];
    if (value == nullptr && result.letter != '%') value = &source_.next();
    return result;
  }

 private:
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  std::string_view name() {
    const size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) type_error("incomplete format key");
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return name;
  }
  bool flag(Conversion& result) const {
    switch (peek()) {
      case '-':
        return result.left = true;
      case '0':
        return result.zero = true;
      case '#':
        return result.alternate = true;
      case '+':
        return result.plus = true;
      case ' ':
        return result.space = true;
      default:
        return false;
    }
  }
  uint64_t number(uint64_t largest) {
    if (peek() == '*') {
      ++at_;
      const int64_t given = to_count(source_.next(), "*");
      if (given < 0 || static_cast<uint64_t>(given) > largest) type_error("a width in a format is out of range");
      return static_cast<uint64_t>(given);
    }
    uint64_t result = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      result = result * 10 + static_cast<uint64_t>(peek() - '0');
      if (result > largest) type_error("a width in a format is too large");
    }
    return result;
  }

  std::string_view text_;
  ValueSource& source_;
  size_t at_ = 0;
};

std::string digits_in_base(Integer value, unsigned base, bool capitals) {
  if (value == 0) return "0";
  __extension__ using Unsigned = unsigned __int128;
  const std::string_view letters = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string digits;
  Unsigned rest = value < 0 ? 0 - static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
  for (; rest != 0; rest /= base) {
    const auto digit = static_cast<size_t>(rest % base);
    digits += letters[digit];
  }
  std::ranges::reverse(digits);
  return digits;
}

/// Digits without a sign.
std::string integer_digits(const Conversion& how, Integer value) {
  const auto prefix = [&how](const char* text) { return how.alternate ? std::string(text) : std::string(); };
  switch (how.letter) {
    case 'x':
      return prefix("0x") + digits_in_base(value, 16, false);
    case 'X':
      return prefix("0X") + digits_in_base(value, 16, true);
    case 'o':
      return prefix("0o") + digits_in_base(value, 8, false);
    default:
      return digits_in_base(value, 10, false);
  }
}

std::string real_digits(const Conversion& how, double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : "inf";
  const std::string pattern =
      format("%{}.{}{}", how.alternate ? "#" : "", how.precision < 0 ? 6 : how.precision, how.letter);
  std::string text(static_cast<size_t>(400 + std::max(how.precision, 6)), '\0');
  const int size = std::snprintf(text.data(), text.size(), pattern.c_str(), std::abs(value));
  text.resize(static_cast<size_t>(size));
  return text;
}

std::string sign_text(const Conversion& how, bool negative) {
  if (negative) return "-";
  return how.plus ? "+" : how.space ? " " : "";
}

std::string pad(const Conversion& how, const std::string& sign, std::string body, bool numeric) {
  const size_t size = sign.size() + count_characters(body);
  if (size >= how.width) return sign + body;
  const size_t missing = how.width - size;
  if (how.left) return sign + body + std::string(missing, ' ');
  if (how.zero && numeric) return sign + std::string(missing, '0') + body;
  return std::string(missing, ' ') + sign + body;
}

std::string converted_number(const Conversion& how, const Value& value) {
  if (!value.is_number()) {
    type_error(format("%{} format: a real number is required, not {}", how.letter, type_name(value)));
  }
  if (std::string_view("fFeEgG").find(how.letter) != std::string_view::npos) {
    return pad(how, sign_text(how, std::signbit(value.number())), real_digits(how, value.number()), true);
  }
  if (value.real() != nullptr && how.letter != 'd' && how.letter != 'i' && how.letter != 'u') {
    type_error(format("%{} format: an integer is required, not float", how.letter));
  }
  const auto number = value.is_integral() ? std::optional(value.integer()) : cut(*value.real());
  if (!number) type_error("cannot convert this float to an integer");
  std::string digits = integer_digits(how, *number);
  while (static_cast<int>(digits.size()) < how.precision) digits.insert(0, "0");
  return pad(how, sign_text(how, *number < 0), std::move(digits), true);
}

std::string converted_text(const Conversion& how, const Value& value) {
  const Text text(how.letter == 's' ? str(value) : repr(value));
  const size_t kept =
      how.precision < 0 ? text.characters : std::min<size_t>(text.characters, static_cast<size_t>(how.precision));
  return pad(how, "", std::string(characters_of(text, 0, kept)), false);
}

std::string converted(const Conversion& how, const Value* value) {
  if (how.letter == '%') return "%";
  if (how.letter == 's' || how.letter == 'r') return converted_text(how, *value);
  if (std::string_view("diufFeEgGxXo").find(how.letter) != std::string_view::npos) return converted_number(how, *value);
  type_error(format("unsupported format character '{}'", how.letter));
}

}  // namespace

std::string printf_text(Rendering& rendering, std::string_view text, const Value& values) {
  ValueSource source(values);
  FormatReader reader(text, source);
  std::string result;
  while (true) {
    result += reader.literal();
    if (reader.done()) break;
    const Value* value = nullptr;
    const Conversion how = reader.conversion(value);
    const std::string piece = converted(how, value);
    rendering.budget.spend_text(result.size() + piece.size());
    result += piece;
  }
  source.expect_end();
  return result;
}

}  // namespace dflash::jinja
