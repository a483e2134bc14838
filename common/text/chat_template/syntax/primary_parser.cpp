// The parts of expressions that bind tightest: constants, names, literals, access, calls, filters and tests.
#include <algorithm>

#include "common/text/chat_template/nodes/expressions.h"
#include "common/text/chat_template/syntax/expression_parser.h"

namespace dflash::jinja {

void ExpressionParser::note_name(std::string_view name) {
  names.read(name);
  for (MacroUse* use : macros) {
    use->varargs = use->varargs || name == "varargs";
    use->kwargs = use->kwargs || name == "kwargs";
    use->caller = use->caller || name == "caller";
  }
}

ExpressionPtr ExpressionParser::primary() {
  if (stream.is(TokenKind::name)) return name_or_constant();
  if (stream.is(TokenKind::literal)) {
    if (stream.now().value.text() != nullptr) return string_constant();
    return std::make_unique<ConstantNode>(stream.take().value);
  }
  if (stream.skip_operation("(")) {
    ExpressionPtr inner = tuple(true, "", true);
    stream.expect_operation(")");
    return inner;
  }
  if (stream.is_operation("[")) return list_literal();
  if (stream.is_operation("{")) return dict_literal();
  stream.fail(format("unexpected {}", TokenStream::described(stream.now())));
}

ExpressionPtr ExpressionParser::name_or_constant() {
  std::string name = stream.take().text;
  if (name == "true" || name == "True") return std::make_unique<ConstantNode>(Value::of_bool(true));
  if (name == "false" || name == "False") return std::make_unique<ConstantNode>(Value::of_bool(false));
  if (name == "none" || name == "None") return std::make_unique<ConstantNode>(Value());
  note_name(name);
  return std::make_unique<NameNode>(std::move(name));
}

/// Strings that stand side by side are one.
ExpressionPtr ExpressionParser::string_constant() {
  std::string text;
  while (stream.is(TokenKind::literal) && stream.now().value.text() != nullptr)
    text += stream.take().value.text()->bytes;
  return std::make_unique<ConstantNode>(Value::of_text(std::move(text)));
}

ExpressionPtr ExpressionParser::list_literal() {
  stream.expect_operation("[");
  std::vector<ExpressionPtr> items;
  while (!stream.is_operation("]")) {
    if (!items.empty()) stream.expect_operation(",");
    if (stream.is_operation("]")) break;
    items.push_back(expression());
  }
  stream.expect_operation("]");
  return std::make_unique<SequenceNode>(SequenceKind::list, std::move(items));
}

ExpressionPtr ExpressionParser::dict_literal() {
  stream.expect_operation("{");
  std::vector<DictNode::Entry> entries;
  while (!stream.is_operation("}")) {
    if (!entries.empty()) stream.expect_operation(",");
    if (stream.is_operation("}")) break;
    ExpressionPtr key = expression();
    stream.expect_operation(":");
    entries.emplace_back(std::move(key), expression());
  }
  stream.expect_operation("}");
  return std::make_unique<DictNode>(std::move(entries));
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr node) {
  while (true) {
    if (stream.is_operation(".")) {
      node = attribute_of(std::move(node));
    } else if (stream.is_operation("[")) {
      node = item_of(std::move(node));
    } else if (stream.is_operation("(")) {
      node = std::make_unique<CallNode>(std::move(node), call_arguments());
    } else {
      return node;
    }
    count_operator();
  }
}

ExpressionPtr ExpressionParser::filtered(ExpressionPtr node) {
  while (true) {
    if (stream.skip_operation("|")) {
      node = std::make_unique<FilterNode>(std::move(node), filter_call());
    } else if (stream.skip_name("is")) {
      node = test_of(std::move(node));
    } else if (stream.is_operation("(")) {
      node = std::make_unique<CallNode>(std::move(node), call_arguments());
    } else {
      return node;
    }
    count_operator();
  }
}

ExpressionPtr ExpressionParser::attribute_of(ExpressionPtr node) {
  stream.expect_operation(".");
  if (stream.is(TokenKind::name)) return std::make_unique<AttributeNode>(std::move(node), stream.take().text);
  if (!stream.is(TokenKind::literal) || !stream.now().value.is_integral()) stream.fail_expecting("a name or number");
  return std::make_unique<ItemNode>(std::move(node), std::make_unique<ConstantNode>(stream.take().value));
}

ExpressionPtr ExpressionParser::item_of(ExpressionPtr node) {
  stream.expect_operation("[");
  if (stream.is_operation("]")) stream.fail_expecting("a subscript");
  ExpressionPtr key = stream.is_operation(":") ? nullptr : expression();
  if (key == nullptr || stream.is_operation(":")) return slice_of(std::move(node), std::move(key));
  if (stream.is_operation(",")) {
    std::vector<ExpressionPtr> keys;
    keys.push_back(std::move(key));
    while (stream.skip_operation(",")) keys.push_back(expression());
    key = std::make_unique<SequenceNode>(SequenceKind::tuple, std::move(keys));
  }
  stream.expect_operation("]");
  return std::make_unique<ItemNode>(std::move(node), std::move(key));
}

ExpressionPtr ExpressionParser::slice_of(ExpressionPtr node, ExpressionPtr begin) {
  stream.expect_operation(":");
  const auto bound = [this]() -> ExpressionPtr {
    return stream.is_operation(":") || stream.is_operation("]") ? nullptr : expression();
  };
  ExpressionPtr end = bound();
  ExpressionPtr step = stream.skip_operation(":") ? bound() : nullptr;
  stream.expect_operation("]");
  return std::make_unique<SliceNode>(std::move(node), std::move(begin), std::move(end), std::move(step));
}

void ExpressionParser::call_argument(CallArguments& arguments) {
  const auto ensure = [this](bool holds) {
    if (!holds) stream.fail("invalid syntax for function call expression");
  };
  if (stream.skip_operation("*")) {
    ensure(arguments.list == nullptr && arguments.dict == nullptr);
    arguments.list = expression();
  } else if (stream.skip_operation("**")) {
    ensure(arguments.dict == nullptr);
    arguments.dict = expression();
  } else if (stream.is(TokenKind::name) && stream.ahead().kind == TokenKind::operation && stream.ahead().text == "=") {
    ensure(arguments.dict == nullptr);
    std::string name = stream.take().text;
    stream.take();
    arguments.named.emplace_back(std::move(name), expression());
  } else {
    ensure(arguments.list == nullptr && arguments.dict == nullptr && arguments.named.empty());
    arguments.positional.push_back(expression());
  }
}

CallArguments ExpressionParser::call_arguments() {
  stream.expect_operation("(");
  CallArguments arguments;
  for (bool first = true; !stream.is_operation(")"); first = false) {
    if (!first) stream.expect_operation(",");
    if (stream.is_operation(")")) break;
    call_argument(arguments);
  }
  stream.expect_operation(")");
  return arguments;
}

std::string ExpressionParser::dotted_name() {
  std::string name = stream.expect_any_name();
  while (stream.skip_operation(".")) name += "." + stream.expect_any_name();
  return name;
}

FilterCall ExpressionParser::filter_call() {
  const int line = stream.now().line;
  FilterCall call{dotted_name(), nullptr, {}};
  call.filter = find_filter(call.name);
  if (call.filter == nullptr) unknown(format("No filter named '{}'.", call.name), line);
  if (stream.is_operation("(")) call.arguments = call_arguments();
  return call;
}

std::vector<FilterCall> ExpressionParser::filter_chain(bool begins_with_name) {
  std::vector<FilterCall> chain;
  if (begins_with_name) chain.push_back(filter_call());
  while (stream.skip_operation("|")) chain.push_back(filter_call());
  return chain;
}

/// In brackets, or one value without them: `is divisibleby 3`.
CallArguments ExpressionParser::test_arguments() {
  if (stream.is_operation("(")) return call_arguments();
  CallArguments arguments;
  const bool begins_value = stream.is(TokenKind::name) || stream.is(TokenKind::literal) || stream.is_operation("[") ||
                            stream.is_operation("{");
  if (!begins_value || stream.is_name("else") || stream.is_name("or") || stream.is_name("and")) return arguments;
  if (stream.is_name("is")) stream.fail("You cannot chain multiple tests with is");
  arguments.positional.push_back(postfix(primary()));
  return arguments;
}

ExpressionPtr ExpressionParser::test_of(ExpressionPtr node) {
  const bool negated = stream.skip_name("not");
  const int line = stream.now().line;
  std::string name = dotted_name();
  const TestPointer test = find_test(name);
  if (test == nullptr) unknown(format("No test named '{}'.", name), line);
  CallArguments arguments = test_arguments();
  ExpressionPtr result = std::make_unique<TestNode>(std::move(node), std::move(name), test, std::move(arguments));
  if (negated) result = std::make_unique<SignNode>(Sign::logical_not, std::move(result));
  return result;
}

}  // namespace dflash::jinja
