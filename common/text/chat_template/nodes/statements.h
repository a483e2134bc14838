// Statements without a loop or macro: text, print, if, set, with, filter, generation.
//
// Threading: immutable; a rendering brings everything that changes.
#pragma once

#include <string>
#include <utility>

#include "common/text/chat_template/nodes/calls.h"
#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/nodes/target.h"

namespace dflash::jinja {

class TextNode : public Statement {
 public:
  TextNode(int at, std::string text) : Statement(at), text_(std::move(text)) {}
  Flow run(Rendering& rendering) const override;

 private:
  std::string text_;
};

class PrintNode : public Statement {
 public:
  PrintNode(int at, ExpressionPtr value) : Statement(at), value_(std::move(value)) {}
  Flow run(Rendering& rendering) const override;

 private:
  ExpressionPtr value_;
};

/// if, elif ..., else: its branches do not open a scope.
class IfNode : public Statement {
 public:
  struct Branch {
    ExpressionPtr condition;  ///< null for else
    Block block;
  };
  IfNode(int at, std::vector<Branch> branches) : Statement(at), branches_(std::move(branches)) {}
  Flow run(Rendering& rendering) const override;

 private:
  std::vector<Branch> branches_;
};

class SetNode : public Statement {
 public:
  SetNode(int at, Target target, ExpressionPtr value)
      : Statement(at), target_(std::move(target)), value_(std::move(value)) {}
  Flow run(Rendering& rendering) const override;

 private:
  Target target_;
  ExpressionPtr value_;
};

/// {% set name | filters %}...{% endset %}
class SetBlockNode : public Statement {
 public:
  SetBlockNode(int at, Target target, std::vector<FilterCall> filters, Block block)
      : Statement(at), target_(std::move(target)), filters_(std::move(filters)), block_(std::move(block)) {}
  Flow run(Rendering& rendering) const override;

 private:
  Target target_;
  std::vector<FilterCall> filters_;
  Block block_;
};

/// {% filter name %}...{% endfilter %}
class FilterBlockNode : public Statement {
 public:
  FilterBlockNode(int at, std::vector<FilterCall> filters, Block block)
      : Statement(at), filters_(std::move(filters)), block_(std::move(block)) {}
  Flow run(Rendering& rendering) const override;

 private:
  std::vector<FilterCall> filters_;
  Block block_;
};

class WithNode : public Statement {
 public:
  using Assignment = std::pair<Target, ExpressionPtr>;
  WithNode(int at, std::vector<Assignment> assignments, Block block)
      : Statement(at), assignments_(std::move(assignments)), block_(std::move(block)) {}
  Flow run(Rendering& rendering) const override;

 private:
  std::vector<Assignment> assignments_;
  Block block_;
};

/// What its block prints is what the model produced.
class GenerationNode : public Statement {
 public:
  GenerationNode(int at, Block block) : Statement(at), block_(std::move(block)) {}
  Flow run(Rendering& rendering) const override;

 private:
  Block block_;
};

/// {% break %}, {% continue %}
class JumpNode : public Statement {
 public:
  JumpNode(int at, Flow flow) : Statement(at), flow_(flow) {}
  Flow run(Rendering& /*rendering*/) const override { return flow_; }

 private:
  Flow flow_;
};

/// A statement that fails when it is reached: include and its like have no files to read.
class RefusedNode : public Statement {
 public:
  RefusedNode(int at, std::string reason) : Statement(at), reason_(std::move(reason)) {}
  Flow run(Rendering& rendering) const override;

 private:
  std::string reason_;
};

}  // namespace dflash::jinja
