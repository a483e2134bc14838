// Expressions with operators: arithmetic, joining, comparison, logic.
//
// Threading: immutable; a rendering brings everything that changes.
#pragma once

#include <utility>

#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/values/operators.h"

namespace dflash::jinja {

class ArithmeticNode : public Expression {
 public:
  ArithmeticNode(Operator what, ExpressionPtr left, ExpressionPtr right)
      : what_(what), left_(std::move(left)), right_(std::move(right)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  Operator what_;
  ExpressionPtr left_;
  ExpressionPtr right_;
};

enum class Sign : uint8_t { minus, plus, logical_not };

class SignNode : public Expression {
 public:
  SignNode(Sign sign, ExpressionPtr value) : sign_(sign), value_(std::move(value)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  Sign sign_;
  ExpressionPtr value_;
};

/// a ~ b ~ c
class JoinNode : public Expression {
 public:
  explicit JoinNode(std::vector<ExpressionPtr> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  std::vector<ExpressionPtr> parts_;
};

/// `and`, `or`: the value that decides.
class LogicNode : public Expression {
 public:
  LogicNode(bool is_and, ExpressionPtr left, ExpressionPtr right)
      : is_and_(is_and), left_(std::move(left)), right_(std::move(right)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  bool is_and_;
  ExpressionPtr left_;
  ExpressionPtr right_;
};

enum class Comparison : uint8_t { equal, not_equal, less, less_or_equal, greater, greater_or_equal, in, not_in };

/// a < b < c: each neighbour with the next, until one fails.
class ComparisonNode : public Expression {
 public:
  using Step = std::pair<Comparison, ExpressionPtr>;
  ComparisonNode(ExpressionPtr first, std::vector<Step> steps) : first_(std::move(first)), steps_(std::move(steps)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr first_;
  std::vector<Step> steps_;
};

}  // namespace dflash::jinja
