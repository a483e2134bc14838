#include "common/text/chat_template/builtins/value_tests.h"

#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/letter_case.h"
#include "common/text/chat_template/values/operators.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

using Test = TestPointer;

/// A test without arguments.
template <bool (*Holds)(const Value&)>
bool plain(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters none("test", arguments, {});
  return Holds(input);
}

template <bool (*Holds)(const Value&, const Value&)>
bool against(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters given("test", arguments, {"other"}, 1);
  return Holds(input, given[0]);
}

bool is_defined(const Value& value) {
  return !value.is_undefined();
}
bool is_undefined(const Value& value) {
  return value.is_undefined();
}
bool is_none(const Value& value) {
  return value.is_none();
}
bool is_boolean(const Value& value) {
  return value.boolean() != nullptr;
}
bool is_true_itself(const Value& value) {
  return value.boolean() != nullptr && *value.boolean();
}
bool is_false_itself(const Value& value) {
  return value.boolean() != nullptr && !*value.boolean();
}
bool is_integer(const Value& value) {
  return value.kind() == ValueKind::integer;
}
bool is_real(const Value& value) {
  return value.real() != nullptr;
}
bool is_number(const Value& value) {
  return value.is_number();
}
bool is_string(const Value& value) {
  return value.text() != nullptr;
}
bool is_mapping(const Value& value) {
  return value.dict() != nullptr;
}
/// len() and [] both work.
bool is_sequence(const Value& value) {
  if (const Sequence* sequence = value.sequence()) {
    return sequence->kind == SequenceKind::list || sequence->kind == SequenceKind::tuple ||
           sequence->kind == SequenceKind::group || sequence->kind == SequenceKind::range;
  }
  return value.text() != nullptr || value.dict() != nullptr || value.is_undefined();
}
bool is_escaped(const Value& value) {
  return value.text() != nullptr && value.text()->markup;
}
bool is_lower(const Value& value) {
  return is_lower_case(str(value));
}
bool is_upper(const Value& value) {
  return is_upper_case(str(value));
}

bool equal(const Value& left, const Value& right) {
  return are_equal(left, right);
}
bool not_equal(const Value& left, const Value& right) {
  return !are_equal(left, right);
}
bool less(const Value& left, const Value& right) {
  return order_of(left, right, "<") == -1;
}
bool less_or_equal(const Value& left, const Value& right) {
  return order_of(left, right, "<=") <= 0;
}
bool greater(const Value& left, const Value& right) {
  return order_of(left, right, ">") == 1;
}
bool greater_or_equal(const Value& left, const Value& right) {
  const int order = order_of(left, right, ">=");
  return order == 0 || order == 1;
}
bool is_in(const Value& item, const Value& container) {
  return contains(container, item);
}
/// The same object: containers and functions by identity, the rest by type and value.
bool is_same(const Value& left, const Value& right) {
  if (left.kind() != right.kind()) return false;
  if (left.sequence() != nullptr) return left.sequence() == right.sequence();
  if (left.dict() != nullptr) return left.dict() == right.dict();
  return are_equal(left, right);
}

bool divides(Rendering& rendering, const Value& value, const Value& divisor) {
  return are_equal(apply(rendering, Operator::modulo, value, divisor), Value::of_integer(0));
}
bool is_odd(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("odd", arguments, {});
  return are_equal(apply(rendering, Operator::modulo, input, Value::of_integer(2)), Value::of_integer(1));
}
bool is_even(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("even", arguments, {});
  return divides(rendering, input, Value::of_integer(2));
}
bool is_divisible(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("divisibleby", arguments, {"num"}, 1);
  return divides(rendering, input, given[0]);
}
bool is_filter(const Value& name) {
  return name.text() != nullptr && find_filter(name.text()->bytes) != nullptr;
}
bool is_test(const Value& name) {
  return name.text() != nullptr && find_test(name.text()->bytes) != nullptr;
}

struct TestEntry {
  std::string_view name;
  Test test;
};

constexpr auto kTests = std::to_array<TestEntry>({
    {"!=", against<not_equal>},
    {"<", against<less>},
    {"<=", against<less_or_equal>},
    {"==", against<equal>},
    {">", against<greater>},
    {">=", against<greater_or_equal>},
    {"boolean", plain<is_boolean>},
    {"callable", plain<is_callable>},
    {"defined", plain<is_defined>},
    {"divisibleby", is_divisible},
    {"eq", against<equal>},
    {"equalto", against<equal>},
    {"escaped", plain<is_escaped>},
    {"even", is_even},
    {"false", plain<is_false_itself>},
    {"filter", plain<is_filter>},
    {"float", plain<is_real>},
    {"ge", against<greater_or_equal>},
    {"greaterthan", against<greater>},
    {"gt", against<greater>},
    {"in", against<is_in>},
    {"integer", plain<is_integer>},
    {"iterable", plain<is_iterable>},
    {"le", against<less_or_equal>},
    {"lessthan", against<less>},
    {"lower", plain<is_lower>},
    {"lt", against<less>},
    {"mapping", plain<is_mapping>},
    {"ne", against<not_equal>},
    {"none", plain<is_none>},
    {"number", plain<is_number>},
    {"odd", is_odd},
    {"sameas", against<is_same>},
    {"sequence", plain<is_sequence>},
    {"string", plain<is_string>},
    {"test", plain<is_test>},
    {"true", plain<is_true_itself>},
    {"undefined", plain<is_undefined>},
    {"upper", plain<is_upper>},
});

}  // namespace

TestPointer find_test(std::string_view name) {
  const auto place = std::ranges::find(kTests, name, &TestEntry::name);
  return place == kTests.end() ? nullptr : place->test;
}

}  // namespace dflash::jinja
