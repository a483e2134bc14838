// The two kinds of nodes that a template is parsed into. A node is immutable and is used by many threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

class Rendering;

class Expression {
 public:
  Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  virtual ~Expression() = default;
  [[nodiscard]] virtual Value evaluate(Rendering& rendering) const = 0;
};

/// What follows a statement: the next one, or the loop is left or goes on.
enum class Flow : uint8_t { onwards, leave_loop, next_turn };

class Statement {
 public:
  explicit Statement(int statement_line) : line(statement_line) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  virtual ~Statement() = default;
  virtual Flow run(Rendering& rendering) const = 0;
  const int line;
};

using ExpressionPtr = std::unique_ptr<const Expression>;
using StatementPtr = std::unique_ptr<const Statement>;
using Block = std::vector<StatementPtr>;

}  // namespace dflash::jinja
