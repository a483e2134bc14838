#include "common/text/chat_template/values/compare.h"

#include <algorithm>
#include <cmath>

#include "common/base/format.h"
#include "common/text/chat_template/values/dict.h"

namespace dflash::jinja {
namespace {

/// tuple and group are one type to Python; the views of dictionaries are never equal to lists.
bool same_type(SequenceKind left, SequenceKind right) {
  const auto plain = [](SequenceKind kind) { return kind == SequenceKind::group ? SequenceKind::tuple : kind; };
  return plain(left) == plain(right);
}

bool equal_dicts(const Dict& left, const Dict& right) {
  if (left.entries().size() != right.entries().size()) return false;
  return std::ranges::all_of(left.entries(), [&right](const Dict::Entry& entry) {
    const Value* other = right.find(entry.first);
    return other != nullptr && are_equal(entry.second, *other);
  });
}

int order_of_numbers(const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return left.integer() < right.integer() ? -1 : static_cast<int>(left.integer() > right.integer());
  }
  const double a = left.number();
  const double b = right.number();
  if (std::isnan(a) || std::isnan(b)) return 2;
  return a < b ? -1 : static_cast<int>(a > b);
}

int order_of_sequences(const Sequence& left, const Sequence& right, std::string_view sign) {
  const size_t common = std::min(left.items.size(), right.items.size());
  for (size_t i = 0; i < common; ++i) {
    if (!are_equal(left.items[i], right.items[i])) return order_of(left.items[i], right.items[i], sign);
  }
  if (left.items.size() == right.items.size()) return 0;
  return left.items.size() < right.items.size() ? -1 : 1;
}

bool has_order(SequenceKind kind) {
  return kind == SequenceKind::list || kind == SequenceKind::tuple || kind == SequenceKind::group;
}

}  // namespace

bool are_equal(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return order_of_numbers(left, right) == 0;
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case ValueKind::text:
      return left.text()->bytes == right.text()->bytes;
    case ValueKind::sequence:
      return left.sequence() == right.sequence() ||
             (same_type(left.sequence()->kind, right.sequence()->kind) &&
              left.sequence()->kind != SequenceKind::generator &&
              std::ranges::equal(left.sequence()->items, right.sequence()->items, are_equal));
    case ValueKind::dict:
      return equal_dicts(*left.dict(), *right.dict());
    case ValueKind::object:
      return left.object() == right.object();
    default:
      return true;  // none and none, undefined and undefined
  }
}

int order_of(const Value& left, const Value& right, std::string_view sign) {
  if (left.is_number() && right.is_number()) return order_of_numbers(left, right);
  if (left.text() != nullptr && right.text() != nullptr) {
    const int order = left.text()->bytes.compare(right.text()->bytes);  // UTF-8 keeps the order of code points
    return order < 0 ? -1 : static_cast<int>(order > 0);
  }
  const Sequence* a = left.sequence();
  const Sequence* b = right.sequence();
  if (a != nullptr && b != nullptr && has_order(a->kind) && same_type(a->kind, b->kind)) {
    return order_of_sequences(*a, *b, sign);
  }
  require_defined(left);
  require_defined(right);
  type_error(format("'{}' not supported between instances of '{}' and '{}'", sign, type_name(left), type_name(right)));
}

bool is_less(const Value& left, const Value& right) {
  return order_of(left, right, "<") == -1;
}

bool contains(const Value& container, const Value& item) {
  if (const Text* text = container.text()) {
    if (item.text() == nullptr) {
      require_defined(item);
      type_error(format("'in <string>' requires string as left operand, not {}", type_name(item)));
    }
    return text->bytes.find(item.text()->bytes) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) {
    require_hashable(item);
    return dict->find(item) != nullptr;
  }
  if (const Sequence* sequence = container.sequence()) {
    const bool once = sequence->kind == SequenceKind::generator;
    for (size_t i = once ? sequence->taken : 0; i < sequence->items.size(); ++i) {
      if (once) sequence->taken = i + 1;
      if (are_equal(sequence->items[i], item)) return true;
    }
    return false;
  }
  if (container.is_undefined()) {
    if (container.undefined()->kind != TemplateFailure::undefined) require_defined(container);
    return false;
  }
  type_error(format("argument of type '{}' is not iterable", type_name(container)));
}

}  // namespace dflash::jinja
