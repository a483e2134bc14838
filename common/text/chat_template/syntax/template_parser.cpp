// Text, print and the dispatch of blocks. Loops, macros and the rest stand in block_parser.cpp.
#include "common/text/chat_template/syntax/template_parser.h"

#include <algorithm>

namespace dflash::jinja {
namespace {

std::string quoted_list(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += format("{}'{}'", text.empty() ? "" : " or ", name);
  return text;
}

}  // namespace

Block TemplateParser::parse() {
  Block block = block_until("", {});
  if (!unknown_names.empty()) throw unknown_names.front();
  return block;
}

bool TemplateParser::at_end(Names ends) const {
  return stream.is(TokenKind::name) && std::ranges::find(ends, stream.now().text) != ends.end();
}

void TemplateParser::fail_at_end(std::string_view tag, Names ends) const {
  stream.fail(
      format("Unexpected end of template. Jinja was looking for the following tags: {}. The innermost block that needs "
             "to be closed is '{}'.",
             quoted_list(ends), tag));
}

void TemplateParser::fail_unknown_tag(const Token& token, std::string_view tag, Names ends) const {
  std::string reason = format("Encountered unknown tag '{}'.", token.text);
  if (ends.size() > 0) {
    reason += format(
        " Jinja was looking for the following tags: {}. The innermost block that needs to be closed is "
        "'{}'.",
        quoted_list(ends), tag);
  }
  syntax_error(std::move(reason), token.line);
}

Block TemplateParser::block_until(std::string_view tag, Names ends) {
  if (++block_depth_ > kDeepestBlock) stream.fail(format("blocks nest deeper than {}", kDeepestBlock));
  names.open();
  Block block;
  while (!stream.is(TokenKind::end)) {
    if (stream.is(TokenKind::data)) {
      const int line = stream.now().line;
      block.push_back(std::make_unique<TextNode>(line, stream.take().text));
    } else if (stream.is(TokenKind::print_begin)) {
      block.push_back(print());
    } else {
      stream.expect(TokenKind::block_begin, "'{%'");
      if (at_end(ends)) {
        names.close();
        --block_depth_;
        return block;
      }
      block.push_back(statement(tag, ends));
      end_block_head();
    }
  }
  if (ends.size() > 0) fail_at_end(tag, ends);
  names.close();
  --block_depth_;
  return block;
}

Block TemplateParser::inner_block(std::string_view tag, std::string_view end) {
  end_block_head();
  const bool was_soft = std::exchange(soft, false);
  Block block = block_until(tag, {end});
  soft = was_soft;
  stream.take();
  return block;
}

StatementPtr TemplateParser::print() {
  const int line = stream.take().line;
  begin_expression();
  ExpressionPtr value = tuple();
  stream.expect(TokenKind::print_end, "'}}'");
  return std::make_unique<PrintNode>(line, std::move(value));
}

StatementPtr TemplateParser::simple_statement(const Token& name) {
  if (name.text == "print") return std::make_unique<PrintNode>(name.line, tuple());
  if (name.text == "break" || name.text == "continue") {
    if (loops_ == 0) syntax_error(format("'{}' outside loop", name.text), name.line);
    return std::make_unique<JumpNode>(name.line, name.text == "break" ? Flow::leave_loop : Flow::next_turn);
  }
  if (name.text == "include" || name.text == "import" || name.text == "from" || name.text == "extends") {
    while (!stream.is(TokenKind::block_end) && !stream.is(TokenKind::end)) stream.take();
    return std::make_unique<RefusedNode>(name.line, "no loader for this environment specified");
  }
  if (name.text == "block" || name.text == "autoescape") {
    syntax_error(format("the tag '{}' is not supported", name.text), name.line);
  }
  return nullptr;
}

StatementPtr TemplateParser::statement(std::string_view tag, Names ends) {
  if (!stream.is(TokenKind::name)) stream.fail("tag name expected");
  const Token name = stream.take();
  begin_expression();
  if (StatementPtr simple = simple_statement(name)) return simple;
  if (name.text == "if") return if_statement(name.line);
  if (name.text == "for") return for_statement(name.line);
  if (name.text == "set") return set_statement(name.line);
  if (name.text == "with") return with_statement(name.line);
  if (name.text == "macro") return macro_statement(name.line);
  if (name.text == "call") return call_statement(name.line);
  if (name.text == "filter") {
    const bool was_soft = std::exchange(soft, false);
    std::vector<FilterCall> filters = filter_chain(true);
    soft = was_soft;
    return std::make_unique<FilterBlockNode>(name.line, std::move(filters), inner_block("filter", "endfilter"));
  }
  if (name.text == "generation") {
    const int loops = std::exchange(loops_, 0);
    Block block = inner_block("generation", "endgeneration");
    loops_ = loops;
    return std::make_unique<GenerationNode>(name.line, std::move(block));
  }
  fail_unknown_tag(name, tag, ends);
}

}  // namespace dflash::jinja
