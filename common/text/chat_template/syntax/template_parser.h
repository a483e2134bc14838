// TemplateParser: tokens become the statements of a template.
//
//   const Block block = TemplateParser(tokenize(source)).parse();
//
// Threading: one thread. Throws a syntax Failure with its line.
// Limits: blocks nest at most kDeepestBlock deep.
#pragma once

#include <initializer_list>
#include <string_view>

#include "common/text/chat_template/nodes/for_loop.h"
#include "common/text/chat_template/nodes/macro.h"
#include "common/text/chat_template/nodes/statements.h"
#include "common/text/chat_template/syntax/expression_parser.h"

namespace dflash::jinja {

class TemplateParser : private ExpressionParser {
 public:
  explicit TemplateParser(std::vector<Token> tokens) : ExpressionParser(std::move(tokens)) {}
  [[nodiscard]] Block parse();
  /// Behind parse: the names that are read and that the template has not set itself.
  [[nodiscard]] const std::set<std::string>& free_names() const { return names.found(); }

 private:
  static constexpr int kDeepestBlock = 100;
  using Names = std::initializer_list<std::string_view>;

  /// Statements up to one of the `ends`, whose name is the next token then.
  [[nodiscard]] Block block_until(std::string_view tag, Names ends);
  /// The same with one end that is taken, in a scope of its own.
  [[nodiscard]] Block inner_block(std::string_view tag, std::string_view end);
  [[nodiscard]] bool at_end(Names ends) const;
  [[noreturn]] void fail_at_end(std::string_view tag, Names ends) const;
  [[noreturn]] void fail_unknown_tag(const Token& token, std::string_view tag, Names ends) const;

  [[nodiscard]] StatementPtr print();
  [[nodiscard]] StatementPtr statement(std::string_view tag, Names ends);
  /// Statements that jump, are refused or print: those without a block. Null when `name` is none of them.
  [[nodiscard]] StatementPtr simple_statement(const Token& name);
  [[nodiscard]] StatementPtr if_statement(int line);
  [[nodiscard]] StatementPtr for_statement(int line);
  [[nodiscard]] StatementPtr set_statement(int line);
  [[nodiscard]] StatementPtr with_statement(int line);
  [[nodiscard]] StatementPtr macro_statement(int line);
  [[nodiscard]] StatementPtr call_statement(int line);
  [[nodiscard]] std::vector<MacroParts::Parameter> parameters();
  void bind(const Target& target);
  /// Body and defaults of a macro: what they use of varargs, kwargs and caller is written into `parts`.
  void macro_body(MacroParts& parts, std::string_view tag, std::string_view end, MacroUse& use);
  void end_block_head() { stream.expect(TokenKind::block_end, "'%}'"); }

  int block_depth_ = 0;
  int loops_ = 0;  ///< around, up to the next macro
};

}  // namespace dflash::jinja
