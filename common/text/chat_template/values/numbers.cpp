#include "common/text/chat_template/values/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/base/format.h"
#include "common/text/chat_template/values/string_text.h"

namespace dflash::jinja {
namespace {

[[noreturn]] void too_large() {
  fail(TemplateFailure::limit, "an integer of more than 128 bits");
}

[[noreturn]] void division_by_zero(Operator what, bool real) {
  if (what == Operator::divide || !real) {
    type_error(what == Operator::divide ? (real ? "float division by zero" : "division by zero")
                                        : "integer division or modulo by zero");
  }
  type_error(what == Operator::modulo ? "float modulo" : "float floor division by zero");
}

Integer checked_product(Integer left, Integer right) {
  Integer result = 0;
  if (__builtin_mul_overflow(left, right, &result)) too_large();
  return result;
}

Integer integer_power(Integer base, Integer exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent > 127) too_large();
  Integer result = 1;
  for (; exponent > 0; --exponent) result = checked_product(result, base);
  return result;
}

/// Rounded down, as Python divides.
Integer floor_quotient(Integer left, Integer right) {
  if (right == -1) return checked_product(left, -1);
  const Integer quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Integer floor_remainder(Integer left, Integer right) {
  if (right == -1) return 0;
  const Integer remainder = left % right;
  return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

double real_remainder(double left, double right) {
  const double remainder = std::fmod(left, right);
  if (remainder == 0) return std::copysign(0.0, right);
  return (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

double real_floor_quotient(double left, double right) {
  const double quotient = (left - real_remainder(left, right)) / right;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double down = std::floor(quotient);
  return quotient - down > 0.5 ? down + 1 : down;
}

double real_power(double left, double right) {
  if (left == 0 && right < 0) type_error("0.0 cannot be raised to a negative power");
  if (left < 0 && right != std::floor(right) && std::isfinite(right)) {
    type_error("a negative number to a fractional power: complex numbers are not supported");
  }
  const double result = std::pow(left, right);
  if (std::isinf(result) && std::isfinite(left) && std::isfinite(right)) type_error("Numerical result out of range");
  return result;
}

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'Z') return digit - 'A' + 10;
  return 99;
}

/// The base that a prefix names; 0 when there is none.
int prefix_base(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 0;
  switch (text[1] | 0x20) {
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 0;
  }
}

}  // namespace

Value on_integers(Operator what, Integer left, Integer right) {
  Integer result = 0;
  if (right == 0 && (what == Operator::divide || what == Operator::floor_divide || what == Operator::modulo)) {
    division_by_zero(what, false);
  }
  switch (what) {
    case Operator::add:
      if (__builtin_add_overflow(left, right, &result)) too_large();
      return Value::of_integer(result);
    case Operator::subtract:
      if (__builtin_sub_overflow(left, right, &result)) too_large();
      return Value::of_integer(result);
    case Operator::multiply:
      return Value::of_integer(checked_product(left, right));
    case Operator::divide:
      return Value::of_real(static_cast<double>(left) / static_cast<double>(right));
    case Operator::floor_divide:
      return Value::of_integer(floor_quotient(left, right));
    case Operator::modulo:
      return Value::of_integer(floor_remainder(left, right));
    case Operator::power:
      if (right < 0) return Value::of_real(real_power(static_cast<double>(left), static_cast<double>(right)));
      return Value::of_integer(integer_power(left, right));
  }
  return {};
}

double on_reals(Operator what, double left, double right) {
  if (right == 0 && (what == Operator::divide || what == Operator::floor_divide || what == Operator::modulo)) {
    division_by_zero(what, true);
  }
  switch (what) {
    case Operator::add:
      return left + right;
    case Operator::subtract:
      return left - right;
    case Operator::multiply:
      return left * right;
    case Operator::divide:
      return left / right;
    case Operator::floor_divide:
      return real_floor_quotient(left, right);
    case Operator::modulo:
      return real_remainder(left, right);
    case Operator::power:
      return real_power(left, right);
  }
  return 0;
}

std::optional<Integer> parse_integer(std::string_view text, int base) {
  text = strip_spaces(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const int written = prefix_base(text);
  if (written != 0 && (base == 0 || base == written)) {
    base = written;
    text.remove_prefix(2);
    if (text.starts_with('_')) text.remove_prefix(1);
  }
  if (base == 0) base = 10;
  if (text.empty()) return std::nullopt;
  Integer number = 0;
  bool after_digit = false;
  for (const char digit : text) {
    if (digit == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    if (digit_value(digit) >= base) return std::nullopt;
    if (__builtin_add_overflow(checked_product(number, base), digit_value(digit), &number)) too_large();
    after_digit = true;
  }
  if (!after_digit) return std::nullopt;
  return negative ? -number : number;
}

std::optional<double> parse_real(std::string_view text) {
  text = strip_spaces(text);
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto is_digit = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (text[i] == '_' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) continue;
    plain += text[i];
  }
  const char* begin = plain.data();
  const char* const end = begin + plain.size();
  const bool signed_text = begin != end && (*begin == '-' || *begin == '+');
  const bool negative = signed_text && *begin == '-';
  if (signed_text) ++begin;
  if (begin == end || *begin == '-' || plain.find('(') != std::string::npos) return std::nullopt;
  double number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (rest != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) number = std::strtod(begin, nullptr);
  return negative ? -number : number;
}

std::optional<Integer> cut(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::abs(value) >= 0x1p126) too_large();
  return static_cast<Integer>(value);
}

double round_half_even(double value, int digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits < 0) {
    const double unit = std::pow(10.0, -digits);
    return std::isfinite(unit) ? std::nearbyint(value / unit) * unit : std::copysign(0.0, value);
  }
  std::array<char, 800> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return std::strtod(buffer.data(), nullptr);
}

int64_t to_count(const Value& value, std::string_view what) {
  if (!value.is_integral()) {
    require_defined(value);
    type_error(format("{} must be an integer, not {}", what, type_name(value)));
  }
  constexpr Integer kLargest = Integer{1} << 62;
  return static_cast<int64_t>(std::clamp(value.integer(), -kLargest, kLargest));
}

}  // namespace dflash::jinja
