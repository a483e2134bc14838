#include "common/text/chat_template/syntax/lexer.h"

#include <algorithm>
#include <string>

#include "common/base/format.h"
#include "common/text/chat_template/syntax/expression_lexer.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

/// Every line end as LF, without a final one.
std::string with_plain_lines(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      text += source[i];
      continue;
    }
    text += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  std::vector<Token> run() {
    while (!rest_.empty()) {
      const size_t at = tag_place();
      if (at == std::string_view::npos) {
        add(TokenKind::data, rest_);
        skip(rest_.size());
        break;
      }
      read_tag(at);
    }
    tokens_.push_back({TokenKind::end, "", {}, line_});
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::string_view text) {
    if (kind != TokenKind::data || !text.empty()) tokens_.push_back({kind, std::string(text), {}, line_});
  }
  void skip(size_t bytes) {
    line_ += static_cast<int>(std::ranges::count(rest_.substr(0, bytes), '\n'));
    if (bytes > 0) at_line_begin_ = rest_[bytes - 1] == '\n';
    rest_.remove_prefix(bytes);
  }
  void skip_spaces() { skip(rest_.size() - strip_spaces(rest_, Side::left).size()); }

  /// Where the next {{, {% or {# begins.
  [[nodiscard]] size_t tag_place() const {
    for (size_t at = rest_.find('{'); at != std::string_view::npos && at + 1 < rest_.size();
         at = rest_.find('{', at + 1)) {
      if (rest_[at + 1] == '{' || rest_[at + 1] == '%' || rest_[at + 1] == '#') return at;
    }
    return std::string_view::npos;
  }

  /// The text before a tag, as the tag's sign and kind leave it.
  [[nodiscard]] std::string_view text_before(std::string_view text, char sign, bool is_print) const {
    if (sign == '-') return strip_spaces(text, Side::right);
    if (sign == '+' || is_print) return text;
    const size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0
    const bool begins_line = line_begin > 0 || at_line_begin_;
    const bool blank = line_begin < text.size() && strip_spaces(text.substr(line_begin)).empty();
    return begins_line && blank ? text.substr(0, line_begin) : text;
  }

  void read_tag(size_t at) {
    const char kind = rest_[at + 1];
    char sign = at + 2 < rest_.size() ? rest_[at + 2] : '\0';
    if (sign != '-' && sign != '+') sign = '\0';
    add(TokenKind::data, text_before(rest_.substr(0, at), sign, kind == '{'));
    const size_t begin_length = at + (sign == '\0' ? 2 : 3);
    if (kind == '%' && read_raw(begin_length)) return;
    skip(begin_length);
    if (kind == '#') return skip_comment();
    add(kind == '{' ? TokenKind::print_begin : TokenKind::block_begin, "");
    read_expression(kind == '{');
  }

  /// Behind "{#": to the end of the comment and the white space that its end takes with it.
  void skip_comment() {
    const int begin_line = line_;
    const size_t end = rest_.find("#}");
    if (end == std::string_view::npos) syntax_error("Missing end of comment tag", begin_line);
    const char sign = end > 0 ? rest_[end - 1] : '\0';
    skip(end + 2);
    finish_tag(sign);
  }

  /// White space behind a tag whose end had `sign`.
  void finish_tag(char sign) {
    if (sign == '-') return skip_spaces();
    if (sign != '+' && rest_.starts_with('\n')) skip(1);
  }

  /// Length of `tag` written as a block behind "{%" and its sign, and the sign of its end; 0 when it is another one.
  [[nodiscard]] static size_t tag_length(std::string_view text, std::string_view tag, char& sign) {
    const std::string_view begin = strip_spaces(text, Side::left);
    if (!begin.starts_with(tag)) return 0;
    std::string_view end = strip_spaces(begin.substr(tag.size()), Side::left);
    sign = end.starts_with('-') || end.starts_with('+') ? end[0] : '\0';
    if (sign != '\0') end.remove_prefix(1);
    return end.starts_with("%}") ? text.size() - end.size() + 2 : 0;
  }

  /// A raw block whose "{%" and sign end at `begin_length`: its text is data. False when it is another block.
  bool read_raw(size_t begin_length) {
    char sign = '\0';
    const size_t length = tag_length(rest_.substr(begin_length), "raw", sign);
    if (length == 0 || sign == '+') return false;
    skip(begin_length + length);
    if (sign == '-') skip_spaces();
    const int begin_line = line_;
    for (size_t at = rest_.find("{%"); at != std::string_view::npos; at = rest_.find("{%", at + 1)) {
      const char begin_sign =
          at + 2 < rest_.size() && (rest_[at + 2] == '-' || rest_[at + 2] == '+') ? rest_[at + 2] : '\0';
      const size_t inside = at + (begin_sign == '\0' ? 2 : 3);
      char end_sign = '\0';
      const size_t end_length = tag_length(rest_.substr(inside), "endraw", end_sign);
      if (end_length == 0) continue;
      add(TokenKind::data, text_before(rest_.substr(0, at), begin_sign, false));
      skip(inside + end_length);
      finish_tag(end_sign);
      return true;
    }
    syntax_error("Missing end of raw directive", begin_line);
  }

  /// True when the tag ends here; then its end is behind us.
  bool read_end(bool is_print) {
    char sign = rest_[0] == '-' || (rest_[0] == '+' && !is_print) ? rest_[0] : '\0';
    const size_t mark = sign == '\0' ? 0 : 1;
    if (!rest_.substr(mark).starts_with(is_print ? "}}" : "%}")) return false;
    add(is_print ? TokenKind::print_end : TokenKind::block_end, "");
    skip(mark + 2);
    if (is_print) {
      if (sign == '-') skip_spaces();
    } else {
      finish_tag(sign);
    }
    return true;
  }

  void keep_balance(const Token& token) {
    if (token.kind != TokenKind::operation) return;
    if (token.text == "(" || token.text == "[" || token.text == "{") {
      open_.push_back(token.text == "(" ? ')' : token.text == "[" ? ']' : '}');
    } else if (token.text == ")" || token.text == "]" || token.text == "}") {
      if (open_.empty()) syntax_error(format("unexpected '{}'", token.text), token.line);
      if (open_.back() != token.text[0]) {
        syntax_error(format("unexpected '{}', expected '{}'", token.text, open_.back()), token.line);
      }
      open_.pop_back();
    }
  }

  void read_expression(bool is_print) {
    open_.clear();
    while (!rest_.empty()) {
      if (open_.empty() && read_end(is_print)) return;
      const Character character = decode_utf8(rest_.data());
      if (is_python_space(character.code_point)) {
        skip(character.bytes);
        continue;
      }
      const bool behind_dot = tokens_.back().kind == TokenKind::operation && tokens_.back().text == ".";
      at_line_begin_ = false;
      tokens_.push_back(next_expression_token(rest_, line_, behind_dot));
      keep_balance(tokens_.back());
    }
    syntax_error(format("unexpected end of template, expected '{}'",
                        is_print ? "end of print statement" : "end of statement block"),
                 line_);
  }

  std::string_view rest_;
  int line_ = 1;
  bool at_line_begin_ = true;  ///< whether what was read last ends a line
  std::vector<Token> tokens_;
  std::string open_;  ///< the brackets that must still be closed
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  const std::string text = with_plain_lines(source);
  return Lexer(text).run();
}

}  // namespace dflash::jinja
