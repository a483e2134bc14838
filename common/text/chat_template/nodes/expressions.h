// Expressions: constants, names, literals, access, operators.
//
// Threading: immutable; a rendering brings everything that changes.
#pragma once

#include <string>
#include <utility>

#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/values/operators.h"

namespace dflash::jinja {

class ConstantNode : public Expression {
 public:
  explicit ConstantNode(Value value) : value_(std::move(value)) {}
  [[nodiscard]] Value evaluate(Rendering& /*rendering*/) const override { return value_; }

 private:
  Value value_;
};

class NameNode : public Expression {
 public:
  explicit NameNode(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  std::string name_;
};

/// [a, b] and (a, b).
class SequenceNode : public Expression {
 public:
  SequenceNode(SequenceKind kind, std::vector<ExpressionPtr> items) : kind_(kind), items_(std::move(items)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  SequenceKind kind_;
  std::vector<ExpressionPtr> items_;
};

class DictNode : public Expression {
 public:
  using Entry = std::pair<ExpressionPtr, ExpressionPtr>;
  explicit DictNode(std::vector<Entry> entries) : entries_(std::move(entries)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  std::vector<Entry> entries_;
};

/// a.name
class AttributeNode : public Expression {
 public:
  AttributeNode(ExpressionPtr object, std::string name) : object_(std::move(object)), name_(std::move(name)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr object_;
  std::string name_;
};

/// a[key]
class ItemNode : public Expression {
 public:
  ItemNode(ExpressionPtr object, ExpressionPtr key) : object_(std::move(object)), key_(std::move(key)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr object_;
  ExpressionPtr key_;
};

/// a[begin:end:step]; a bound that is left out is null.
class SliceNode : public Expression {
 public:
  SliceNode(ExpressionPtr object, ExpressionPtr begin, ExpressionPtr end, ExpressionPtr step)
      : object_(std::move(object)), begin_(std::move(begin)), end_(std::move(end)), step_(std::move(step)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr object_;
  ExpressionPtr begin_;
  ExpressionPtr end_;
  ExpressionPtr step_;
};

/// `yes if condition else no`; without else, it is undefined.
class ConditionNode : public Expression {
 public:
  ConditionNode(ExpressionPtr condition, ExpressionPtr yes, ExpressionPtr no)
      : condition_(std::move(condition)), yes_(std::move(yes)), no_(std::move(no)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr condition_;
  ExpressionPtr yes_;
  ExpressionPtr no_;
};

}  // namespace dflash::jinja
