// Operators, from the loosest to the tightest. Names, literals and calls stand in primary_parser.cpp.
#include "common/text/chat_template/syntax/expression_parser.h"

#include <algorithm>

#include "common/text/chat_template/nodes/expressions.h"

namespace dflash::jinja {

void ExpressionParser::count_operator() {
  if (++operators_ > kLongestExpression) {
    stream.fail(format("an expression of more than {} operators", kLongestExpression));
  }
}

void ExpressionParser::unknown(std::string reason, int line) {
  if (!soft) unknown_names.push_back({TemplateFailure::syntax, std::move(reason), line});
}

ExpressionPtr ExpressionParser::expression(bool with_condition) {
  struct Depth {
    int& depth;
    ~Depth() { --depth; }
  };
  const Depth guard{++depth_};
  if (depth_ > kDeepestExpression) stream.fail(format("brackets nest deeper than {}", kDeepestExpression));
  if (!with_condition) return logic_or();
  const size_t unknown_before = unknown_names.size();
  ExpressionPtr node = logic_or();
  while (stream.skip_name("if")) {
    count_operator();
    ExpressionPtr condition = logic_or();
    ExpressionPtr otherwise = stream.skip_name("else") ? expression() : nullptr;
    node = std::make_unique<ConditionNode>(std::move(condition), std::move(node), std::move(otherwise));
    unknown_names.resize(unknown_before);  // one of its branches may never run
  }
  return node;
}

ExpressionPtr ExpressionParser::logic_or() {
  ExpressionPtr left = logic_and();
  while (stream.skip_name("or")) {
    count_operator();
    left = std::make_unique<LogicNode>(false, std::move(left), logic_and());
  }
  return left;
}

ExpressionPtr ExpressionParser::logic_and() {
  ExpressionPtr left = logic_not();
  while (stream.skip_name("and")) {
    count_operator();
    left = std::make_unique<LogicNode>(true, std::move(left), logic_not());
  }
  return left;
}

ExpressionPtr ExpressionParser::logic_not() {
  int count = 0;
  for (; stream.skip_name("not"); ++count) count_operator();
  ExpressionPtr node = comparison();
  for (; count > 0; --count) node = std::make_unique<SignNode>(Sign::logical_not, std::move(node));
  return node;
}

ExpressionPtr ExpressionParser::comparison() {
  constexpr std::pair<std::string_view, Comparison> kSigns[] = {
      {"==", Comparison::equal},         {"!=", Comparison::not_equal}, {"<", Comparison::less},
      {"<=", Comparison::less_or_equal}, {">", Comparison::greater},    {">=", Comparison::greater_or_equal}};
  ExpressionPtr first = sum();
  std::vector<ComparisonNode::Step> steps;
  while (true) {
    const auto sign =
        std::ranges::find_if(kSigns, [this](const auto& entry) { return stream.is_operation(entry.first); });
    if (sign != std::end(kSigns)) {
      stream.take();
      steps.emplace_back(sign->second, sum());
    } else if (stream.skip_name("in")) {
      steps.emplace_back(Comparison::in, sum());
    } else if (stream.is_name("not") && stream.ahead().kind == TokenKind::name && stream.ahead().text == "in") {
      stream.take();
      stream.take();
      steps.emplace_back(Comparison::not_in, sum());
    } else {
      break;
    }
  }
  if (steps.empty()) return first;
  return std::make_unique<ComparisonNode>(std::move(first), std::move(steps));
}

ExpressionPtr ExpressionParser::arithmetic(ExpressionPtr (ExpressionParser::*operand)(),
                                           std::initializer_list<std::pair<std::string_view, Operator>> operators) {
  ExpressionPtr left = (this->*operand)();
  while (true) {
    const auto sign =
        std::ranges::find_if(operators, [this](const auto& entry) { return stream.is_operation(entry.first); });
    if (sign == operators.end()) return left;
    stream.take();
    count_operator();
    ExpressionPtr right = (this->*operand)();
    left = std::make_unique<ArithmeticNode>(sign->second, std::move(left), std::move(right));
  }
}

ExpressionPtr ExpressionParser::sum() {
  return arithmetic(&ExpressionParser::joined, {{"+", Operator::add}, {"-", Operator::subtract}});
}

ExpressionPtr ExpressionParser::joined() {
  std::vector<ExpressionPtr> parts;
  parts.push_back(product());
  while (stream.skip_operation("~")) parts.push_back(product());
  if (parts.size() == 1) return std::move(parts[0]);
  return std::make_unique<JoinNode>(std::move(parts));
}

ExpressionPtr ExpressionParser::product() {
  return arithmetic(
      &ExpressionParser::power,
      {{"*", Operator::multiply}, {"/", Operator::divide}, {"//", Operator::floor_divide}, {"%", Operator::modulo}});
}

ExpressionPtr ExpressionParser::power() {
  ExpressionPtr left = unary();
  while (stream.skip_operation("**")) {
    count_operator();
    ExpressionPtr right = unary();
    left = std::make_unique<ArithmeticNode>(Operator::power, std::move(left), std::move(right));
  }
  return left;
}

/// A sign binds looser than attributes and calls, tighter than filters.
ExpressionPtr ExpressionParser::unary(bool with_filter) {
  std::vector<Sign> signs;
  while (stream.is_operation("-") || stream.is_operation("+")) {
    count_operator();
    signs.push_back(stream.take().text == "-" ? Sign::minus : Sign::plus);
  }
  ExpressionPtr node = postfix(primary());
  for (; !signs.empty(); signs.pop_back()) node = std::make_unique<SignNode>(signs.back(), std::move(node));
  return with_filter ? filtered(std::move(node)) : std::move(node);
}

bool ExpressionParser::is_tuple_end(std::string_view end) const {
  return stream.is(TokenKind::print_end) || stream.is(TokenKind::block_end) || stream.is_operation(")") ||
         (!end.empty() && stream.is_name(end));
}

ExpressionPtr ExpressionParser::tuple(bool with_condition, std::string_view end, bool in_brackets) {
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) stream.expect_operation(",");
    if (is_tuple_end(end)) break;
    items.push_back(expression(with_condition));
    if (!stream.is_operation(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !items.empty()) return std::move(items[0]);
  if (!is_tuple && !in_brackets) {
    stream.fail(format("Expected an expression, got {}", TokenStream::described(stream.now())));
  }
  return std::make_unique<SequenceNode>(SequenceKind::tuple, std::move(items));
}

Target ExpressionParser::one_target(bool with_attribute) {
  if (stream.skip_operation("(")) {
    Target inner = target("", with_attribute);
    stream.expect_operation(")");
    return inner;
  }
  Target result;
  const int line = stream.now().line;
  result.name = stream.expect_any_name();
  constexpr std::string_view kConstants[] = {"true", "false", "none", "True", "False", "None"};
  if (std::ranges::find(kConstants, result.name) != std::end(kConstants)) {
    syntax_error(format("can't assign to '{}'", result.name), line);
  }
  if (with_attribute && stream.skip_operation(".")) result.attribute = stream.expect_any_name();
  return result;
}

Target ExpressionParser::target(std::string_view end, bool with_attribute) {
  Target first = one_target(with_attribute);
  if (!stream.is_operation(",")) return first;
  Target several;
  several.is_tuple = true;
  several.parts.push_back(std::move(first));
  while (stream.skip_operation(",")) {
    if (is_tuple_end(end) || stream.is_operation("=")) break;
    several.parts.push_back(one_target(with_attribute));
  }
  return several;
}

}  // namespace dflash::jinja
