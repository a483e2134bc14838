#include "common/text/chat_template/nodes/operations.h"

#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

/// What a search through `container` or a comparison with it costs, in items.
size_t size_of(const Value& value) {
  if (value.sequence() != nullptr) return value.sequence()->items.size();
  return value.text() != nullptr ? value.text()->bytes.size() / 8 : 0;
}

bool holds(Comparison what, const Value& left, const Value& right) {
  switch (what) {
    case Comparison::equal:
      return are_equal(left, right);
    case Comparison::not_equal:
      return !are_equal(left, right);
    case Comparison::less:
      return order_of(left, right, "<") == -1;
    case Comparison::less_or_equal:
      return order_of(left, right, "<=") <= 0;
    case Comparison::greater:
      return order_of(left, right, ">") == 1;
    case Comparison::greater_or_equal: {
      const int order = order_of(left, right, ">=");
      return order == 0 || order == 1;
    }
    case Comparison::in:
      return contains(right, left);
    case Comparison::not_in:
      return !contains(right, left);
  }
  return false;
}

}  // namespace

Value ArithmeticNode::evaluate(Rendering& rendering) const {
  const Value left = rendering.evaluate(*left_);
  return apply(rendering, what_, left, rendering.evaluate(*right_));
}

Value SignNode::evaluate(Rendering& rendering) const {
  const Value value = rendering.evaluate(*value_);
  if (sign_ == Sign::logical_not) return Value::of_bool(!is_true(value));
  return sign_ == Sign::minus ? negate(value) : plus(value);
}

Value JoinNode::evaluate(Rendering& rendering) const {
  std::string joined;
  for (const auto& part : parts_) append_str(joined, rendering.evaluate(*part));
  return rendering.make_text(std::move(joined));
}

Value LogicNode::evaluate(Rendering& rendering) const {
  Value left = rendering.evaluate(*left_);
  return is_true(left) == is_and_ ? rendering.evaluate(*right_) : left;
}

Value ComparisonNode::evaluate(Rendering& rendering) const {
  Value left = rendering.evaluate(*first_);
  for (const auto& [what, operand] : steps_) {
    Value right = rendering.evaluate(*operand);
    rendering.budget.spend(size_of(right));
    if (!holds(what, left, right)) return Value::of_bool(false);
    left = std::move(right);
  }
  return Value::of_bool(true);
}

}  // namespace dflash::jinja
