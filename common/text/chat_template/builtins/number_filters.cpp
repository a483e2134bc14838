// Filters on numbers: abs, float, int, round, sum.
#include <array>
#include <cmath>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/attribute_path.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/parameters.h"

namespace dflash::jinja {
namespace {

Value absolute(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters none("abs", arguments, {});
  require_defined(input);
  if (!input.is_number()) type_error(format("bad operand type for abs(): '{}'", type_name(input)));
  if (input.real() != nullptr) return Value::of_real(std::abs(*input.real()));
  return input.integer() < 0 ? negate(input) : plus(input);
}

std::optional<double> as_real(const Value& input) {
  if (input.is_number()) return input.number();
  return input.text() == nullptr ? std::nullopt : parse_real(input.text()->bytes);
}

Value to_real(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters given("float", arguments, {"default"});
  require_defined(input);
  const auto number = as_real(input);
  return number ? Value::of_real(*number) : given.value_or(0, Value::of_real(0));
}

Value to_integer(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters given("int", arguments, {"default", "base"});
  require_defined(input);
  if (input.is_integral()) return Value::of_integer(input.integer());
  const int64_t base = given.count(1, 10);
  if (input.text() != nullptr && (base == 0 || (base >= 2 && base <= 36))) {
    if (const auto number = parse_integer(input.text()->bytes, static_cast<int>(base)))
      return Value::of_integer(*number);
  }
  const auto real = as_real(input);
  const auto number = real ? cut(*real) : std::nullopt;
  return number ? Value::of_integer(*number) : given.value_or(0, Value::of_integer(0));
}

Value round_to_side(double value, int64_t precision, const std::string& method) {
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = value * unit;
  return Value::of_real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

Value round(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters given("round", arguments, {"precision", "method"});
  require_defined(input);
  const int64_t precision = given.count(0, 0);
  const std::string method = given.text_or(1, "common");
  if (method != "common" && method != "ceil" && method != "floor") type_error("method must be common, ceil or floor");
  if (!input.is_number()) type_error(format("type {} doesn't define __round__ method", type_name(input)));
  if (method != "common") return round_to_side(input.number(), precision, method);
  if (input.is_integral()) {
    if (precision < 0) type_error("round: a negative precision of an integer is not supported");
    return Value::of_integer(input.integer());
  }
  return Value::of_real(round_half_even(*input.real(), static_cast<int>(std::clamp<int64_t>(precision, -400, 400))));
}

Value sum(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("sum", arguments, {"attribute", "start"});
  const AttributePath path(given.value_or(0, Value()));
  Value total = given.value_or(1, Value::of_integer(0));
  if (total.text() != nullptr) type_error("sum() can't sum strings [use ''.join(seq) instead]");
  for (const Value& item : items_of(rendering, input)) total = apply(rendering, Operator::add, total, path.of(item));
  return total;
}

constexpr auto kNumberFilters = std::to_array<FilterEntry>({
    {"abs", absolute},
    {"float", to_real},
    {"int", to_integer},
    {"round", round},
    {"sum", sum},
});

}  // namespace

std::span<const FilterEntry> number_filters() {
  return kNumberFilters;
}

}  // namespace dflash::jinja
