// TokenStream: the tokens of a template, one after another.
//
// Threading: one thread. Owns: the tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/format.h"
#include "common/text/chat_template/syntax/token.h"

namespace dflash::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  [[nodiscard]] const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() {
    Token token = now();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  [[nodiscard]] bool is(TokenKind kind) const { return now().kind == kind; }
  [[nodiscard]] bool is_operation(std::string_view operation) const {
    return now().kind == TokenKind::operation && now().text == operation;
  }
  [[nodiscard]] bool is_name(std::string_view name) const {
    return now().kind == TokenKind::name && now().text == name;
  }
  /// Takes the token when it is that one.
  bool skip_operation(std::string_view operation) {
    const bool found = is_operation(operation);
    if (found) take();
    return found;
  }
  bool skip_name(std::string_view name) {
    const bool found = is_name(name);
    if (found) take();
    return found;
  }
  void expect_operation(std::string_view operation) {
    if (!skip_operation(operation)) fail_expecting(std::string("'") + std::string(operation) + "'");
  }
  void expect_name(std::string_view name) {
    if (!skip_name(name)) fail_expecting(std::string("'") + std::string(name) + "'");
  }
  [[nodiscard]] std::string expect_any_name() {
    if (!is(TokenKind::name)) fail_expecting("a name");
    return take().text;
  }
  void expect(TokenKind kind, std::string_view what) {
    if (!is(kind)) fail_expecting(std::string(what));
    take();
  }
  [[noreturn]] void fail(std::string reason) const { syntax_error(std::move(reason), now().line); }
  [[noreturn]] void fail_expecting(const std::string& what) const {
    fail(format("expected {}, got {}", what, described(now())));
  }
  [[nodiscard]] static std::string described(const Token& token);

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace dflash::jinja
