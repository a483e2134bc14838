// ExpressionParser: what stands inside {{ }} and behind the name of a block, by Jinja's grammar and precedence.
//
// Threading: one thread.
// Limits: kDeepestExpression brackets inside each other, kLongestExpression operators in one expression.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/text/chat_template/nodes/calls.h"
#include "common/text/chat_template/nodes/operations.h"
#include "common/text/chat_template/nodes/target.h"
#include "common/text/chat_template/syntax/free_names.h"
#include "common/text/chat_template/syntax/token_stream.h"

namespace dflash::jinja {

/// What a macro's body asks for, found while it is parsed.
struct MacroUse {
  bool varargs = false;
  bool kwargs = false;
  bool caller = false;
};

class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<Token> tokens) : stream(std::move(tokens)) {}

 protected:
  static constexpr int kDeepestExpression = 100;
  static constexpr int kLongestExpression = 4000;

  [[nodiscard]] ExpressionPtr expression(bool with_condition = true);
  /// Expressions joined by commas make a tuple; one alone stays as it is. `end` stops it: the name `in`, ...
  [[nodiscard]] ExpressionPtr tuple(bool with_condition = true, std::string_view end = "", bool in_brackets = false);
  [[nodiscard]] Target target(std::string_view end, bool with_attribute);
  [[nodiscard]] std::vector<FilterCall> filter_chain(bool begins_with_name);
  [[nodiscard]] ExpressionPtr unary(bool with_filter = true);
  void begin_expression() { operators_ = 0; }

  TokenStream stream;
  bool soft = false;  ///< in a branch: an unknown filter fails only when it is reached
  std::vector<Failure> unknown_names;
  std::vector<MacroUse*> macros;  ///< those being parsed, outermost first
  FreeNames names;

 private:
  [[nodiscard]] ExpressionPtr logic_or();
  [[nodiscard]] ExpressionPtr logic_and();
  [[nodiscard]] ExpressionPtr logic_not();
  [[nodiscard]] ExpressionPtr comparison();
  [[nodiscard]] ExpressionPtr sum();
  [[nodiscard]] ExpressionPtr joined();
  [[nodiscard]] ExpressionPtr product();
  [[nodiscard]] ExpressionPtr power();
  [[nodiscard]] ExpressionPtr primary();
  [[nodiscard]] ExpressionPtr name_or_constant();
  [[nodiscard]] ExpressionPtr string_constant();
  [[nodiscard]] ExpressionPtr list_literal();
  [[nodiscard]] ExpressionPtr dict_literal();
  [[nodiscard]] ExpressionPtr postfix(ExpressionPtr node);
  [[nodiscard]] ExpressionPtr filtered(ExpressionPtr node);
  [[nodiscard]] ExpressionPtr attribute_of(ExpressionPtr node);
  [[nodiscard]] ExpressionPtr item_of(ExpressionPtr node);
  [[nodiscard]] ExpressionPtr slice_of(ExpressionPtr node, ExpressionPtr begin);
  [[nodiscard]] CallArguments call_arguments();
  void call_argument(CallArguments& arguments);
  [[nodiscard]] FilterCall filter_call();
  [[nodiscard]] ExpressionPtr test_of(ExpressionPtr node);
  [[nodiscard]] CallArguments test_arguments();
  [[nodiscard]] std::string dotted_name();
  [[nodiscard]] Target one_target(bool with_attribute);
  [[nodiscard]] ExpressionPtr arithmetic(ExpressionPtr (ExpressionParser::*operand)(),
                                         std::initializer_list<std::pair<std::string_view, Operator>> operators);
  [[nodiscard]] bool is_tuple_end(std::string_view end) const;
  void note_name(std::string_view name);
  void unknown(std::string reason, int line);
  /// One more node around others.
  void count_operator();

  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace dflash::jinja
