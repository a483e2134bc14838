// Expressions that call: functions, filters and tests, with their arguments.
//
// Threading: immutable; a rendering brings everything that changes.
#pragma once

#include <string>
#include <utility>

#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/builtins/value_tests.h"
#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

/// (a, b, name=c, *list, **dict)
struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr list;  ///< null when there is none
  ExpressionPtr dict;
  [[nodiscard]] Arguments evaluate(Rendering& rendering) const;
};

class CallNode : public Expression {
 public:
  CallNode(ExpressionPtr callee, CallArguments arguments)
      : callee_(std::move(callee)), arguments_(std::move(arguments)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override { return evaluate_with(rendering, nullptr); }
  /// The call with one more argument by name: `caller` of a call block.
  [[nodiscard]] Value evaluate_with(Rendering& rendering, const Value* caller) const;

 private:
  ExpressionPtr callee_;
  CallArguments arguments_;
};

/// One filter with its arguments. The pointer is null for a name that no filter has, in a branch that may never run.
struct FilterCall {
  std::string name;
  FilterPointer filter;
  CallArguments arguments;
  [[nodiscard]] Value apply(Rendering& rendering, const Value& input) const;
};

/// value | filter
class FilterNode : public Expression {
 public:
  FilterNode(ExpressionPtr input, FilterCall call) : input_(std::move(input)), call_(std::move(call)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr input_;
  FilterCall call_;
};

/// value is test
class TestNode : public Expression {
 public:
  TestNode(ExpressionPtr input, std::string name, TestPointer test, CallArguments arguments)
      : input_(std::move(input)), name_(std::move(name)), test_(test), arguments_(std::move(arguments)) {}
  [[nodiscard]] Value evaluate(Rendering& rendering) const override;

 private:
  ExpressionPtr input_;
  std::string name_;
  TestPointer test_;
  CallArguments arguments_;
};

}  // namespace dflash::jinja
