// Blocks with a head of their own: if, for, set, with, macro, call.
#include "common/text/chat_template/syntax/template_parser.h"

namespace dflash::jinja {

/// From here on the name is the template's own. What is set by {% set %} is seen behind it, so it is bound last.
void TemplateParser::bind(const Target& target) {
  for (const Target& part : target.parts) bind(part);
  if (!target.is_tuple && target.attribute.empty()) names.bind(target.name);
}

StatementPtr TemplateParser::if_statement(int line) {
  const bool was_soft = std::exchange(soft, true);
  std::vector<IfNode::Branch> branches;
  bool has_condition = true;
  while (true) {
    begin_expression();
    ExpressionPtr condition = has_condition ? tuple(false) : nullptr;
    end_block_head();
    Block block = has_condition ? block_until("if", {"elif", "else", "endif"}) : block_until("if", {"endif"});
    branches.push_back({std::move(condition), std::move(block)});
    const std::string end = stream.take().text;
    if (end == "endif") break;
    has_condition = end == "elif";
  }
  soft = was_soft;
  return std::make_unique<IfNode>(line, std::move(branches));
}

StatementPtr TemplateParser::for_statement(int line) {
  ForNode::Parts parts;
  parts.target = target("in", false);
  stream.expect_name("in");
  parts.items = tuple(false, "recursive");
  names.open();
  names.bind("loop");
  bind(parts.target);
  const bool was_soft = std::exchange(soft, false);
  if (stream.skip_name("if")) parts.condition = expression();
  parts.recursive = stream.skip_name("recursive");
  end_block_head();
  ++loops_;
  parts.body = block_until("for", {"endfor", "else"});
  --loops_;
  names.close();
  if (stream.take().text == "else") {
    end_block_head();
    parts.otherwise = block_until("for", {"endfor"});
    stream.take();
  }
  soft = was_soft;
  return std::make_unique<ForNode>(line, std::move(parts));
}

StatementPtr TemplateParser::set_statement(int line) {
  Target place = target("", true);
  if (stream.skip_operation("=")) {
    ExpressionPtr value = tuple();
    bind(place);
    return std::make_unique<SetNode>(line, std::move(place), std::move(value));
  }
  const bool was_soft = std::exchange(soft, false);
  std::vector<FilterCall> filters = filter_chain(false);
  soft = was_soft;
  Block block = inner_block("set", "endset");
  bind(place);
  return std::make_unique<SetBlockNode>(line, std::move(place), std::move(filters), std::move(block));
}

StatementPtr TemplateParser::with_statement(int line) {
  std::vector<WithNode::Assignment> assignments;
  while (!stream.is(TokenKind::block_end)) {
    if (!assignments.empty()) stream.expect_operation(",");
    Target place = target("", false);
    stream.expect_operation("=");
    assignments.emplace_back(std::move(place), expression());
  }
  names.open();
  for (const auto& [place, value] : assignments) bind(place);
  Block block = inner_block("with", "endwith");
  names.close();
  return std::make_unique<WithNode>(line, std::move(assignments), std::move(block));
}

std::vector<MacroParts::Parameter> TemplateParser::parameters() {
  std::vector<MacroParts::Parameter> list;
  stream.expect_operation("(");
  while (!stream.is_operation(")")) {
    if (!list.empty()) stream.expect_operation(",");
    std::string name = stream.expect_any_name();
    ExpressionPtr otherwise = stream.skip_operation("=") ? expression() : nullptr;
    if (otherwise == nullptr && !list.empty() && list.back().otherwise != nullptr) {
      stream.fail("non-default argument follows default argument");
    }
    list.push_back({std::move(name), std::move(otherwise)});
  }
  stream.expect_operation(")");
  return list;
}

void TemplateParser::macro_body(MacroParts& parts, std::string_view tag, std::string_view end, MacroUse& use) {
  const int loops = std::exchange(loops_, 0);
  macros.push_back(&use);
  names.open();
  for (const char* own : {"varargs", "kwargs", "caller"}) names.bind(own);
  for (const auto& parameter : parts.parameters) names.bind(parameter.name);
  parts.body = inner_block(tag, end);
  names.close();
  macros.pop_back();
  loops_ = loops;
  const auto is_parameter = [&parts](std::string_view name) {
    for (const auto& parameter : parts.parameters) {
      if (parameter.name == name) return true;
    }
    return false;
  };
  parts.uses_varargs = use.varargs && !is_parameter("varargs");
  parts.uses_kwargs = use.kwargs && !is_parameter("kwargs");
  parts.uses_caller = use.caller && !is_parameter("caller");
}

StatementPtr TemplateParser::macro_statement(int line) {
  MacroParts parts;
  MacroUse use;
  parts.name = stream.expect_any_name();
  names.bind(parts.name);
  const bool was_soft = std::exchange(soft, false);
  parts.parameters = parameters();
  soft = was_soft;
  macro_body(parts, "macro", "endmacro", use);
  return std::make_unique<MacroNode>(line, std::move(parts));
}

StatementPtr TemplateParser::call_statement(int line) {
  MacroParts caller;
  MacroUse use;
  caller.name = "caller";
  if (stream.is_operation("(")) caller.parameters = parameters();
  ExpressionPtr called = unary(false);
  const auto* const call_node = dynamic_cast<const CallNode*>(called.get());
  if (call_node == nullptr) stream.fail("expected call");
  std::unique_ptr<const CallNode> macro_call(call_node);
  static_cast<void>(called.release());
  macro_body(caller, "call", "endcall", use);
  return std::make_unique<CallBlockNode>(line, std::move(macro_call), std::move(caller));
}

}  // namespace dflash::jinja
