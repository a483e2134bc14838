#include "common/text/chat_template/values/operators.h"

#include "common/base/format.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/printf_text.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "//", "%", "** or pow()"};

[[noreturn]] void refuse(Operator what, const Value& left, const Value& right) {
  require_defined(left);
  require_defined(right);
  if (what == Operator::add && left.text() != nullptr) {
    type_error(format("can only concatenate str (not \"{}\") to str", type_name(right)));
  }
  if (what == Operator::add && left.sequence() != nullptr && left.sequence()->kind == SequenceKind::list) {
    type_error(format("can only concatenate list (not \"{}\") to list", type_name(right)));
  }
  type_error(format("unsupported operand type(s) for {}: '{}' and '{}'", kSigns[static_cast<size_t>(what)],
                    type_name(left), type_name(right)));
}

Value join_texts(Rendering& rendering, const Value& left, const Value& right) {
  const bool markup = left.text()->markup || right.text()->markup;
  if (markup) return rendering.make_text(escaped(left) + escaped(right), true);
  rendering.budget.spend_text(left.text()->bytes.size() + right.text()->bytes.size());
  return Value::of_text(left.text()->bytes + right.text()->bytes);
}

SequenceKind plain(SequenceKind kind) {
  return kind == SequenceKind::group ? SequenceKind::tuple : kind;
}

bool is_list_or_tuple(const Value& value) {
  if (value.sequence() == nullptr) return false;
  const SequenceKind kind = plain(value.sequence()->kind);
  return kind == SequenceKind::list || kind == SequenceKind::tuple;
}

Value join_lists(Rendering& rendering, const Sequence& left, const Sequence& right) {
  rendering.budget.spend(left.items.size() + right.items.size());
  std::vector<Value> items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return make_sequence(plain(left.kind), std::move(items));
}

Value repeat(Rendering& rendering, const Value& what, Integer count) {
  const auto times = static_cast<uint64_t>(count < 0 ? 0 : std::min<Integer>(count, Integer{1} << 62));
  if (const Text* text = what.text()) {
    rendering.budget.spend_text(rendering.budget.product(text->bytes.size(), times));
    std::string copies;
    for (uint64_t i = 0; i < times && !text->bytes.empty(); ++i) copies += text->bytes;
    return Value::of_text(std::move(copies), text->markup);
  }
  const Sequence& sequence = *what.sequence();
  rendering.budget.spend(rendering.budget.product(sequence.items.size(), times));
  std::vector<Value> items;
  for (uint64_t i = 0; i < times && !sequence.items.empty(); ++i) {
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  }
  return make_sequence(plain(sequence.kind), std::move(items));
}

bool repeats(const Value& value) {
  return value.text() != nullptr || is_list_or_tuple(value);
}

Value on_others(Rendering& rendering, Operator what, const Value& left, const Value& right) {
  if (what == Operator::add) {
    if (left.text() != nullptr && right.text() != nullptr) return join_texts(rendering, left, right);
    if (is_list_or_tuple(left) && is_list_or_tuple(right) &&
        plain(left.sequence()->kind) == plain(right.sequence()->kind)) {
      return join_lists(rendering, *left.sequence(), *right.sequence());
    }
  }
  if (what == Operator::multiply) {
    if (repeats(left) && right.is_integral()) return repeat(rendering, left, right.integer());
    if (left.is_integral() && repeats(right)) return repeat(rendering, right, left.integer());
  }
  if (what == Operator::modulo && left.text() != nullptr) {
    require_defined(right);
    return rendering.make_text(printf_text(rendering, left.text()->bytes, right), left.text()->markup);
  }
  refuse(what, left, right);
}

}  // namespace

Value apply(Rendering& rendering, Operator what, const Value& left, const Value& right) {
  if (!left.is_number() || !right.is_number()) return on_others(rendering, what, left, right);
  if (left.is_integral() && right.is_integral()) return on_integers(what, left.integer(), right.integer());
  return Value::of_real(on_reals(what, left.number(), right.number()));
}

Value negate(const Value& value) {
  require_defined(value);
  if (value.is_integral()) return on_integers(Operator::subtract, 0, value.integer());
  if (value.real() != nullptr) return Value::of_real(-*value.real());
  type_error(format("bad operand type for unary -: '{}'", type_name(value)));
}

Value plus(const Value& value) {
  require_defined(value);
  if (value.is_integral()) return Value::of_integer(value.integer());
  if (value.real() != nullptr) return value;
  type_error(format("bad operand type for unary +: '{}'", type_name(value)));
}

std::string escape_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char byte : text) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '"':
        result += "&#34;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

std::string escaped(const Value& value) {
  if (const Text* text = value.text(); text != nullptr && text->markup) return text->bytes;
  return escape_markup(str(value));
}

}  // namespace dflash::jinja
