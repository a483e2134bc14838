#include "common/text/chat_template/values/value.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/object.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {

Text::Text(std::string text_bytes, bool is_markup)
    : bytes(std::move(text_bytes)), characters(count_characters(bytes)), markup(is_markup) {}

Value Value::undefined(std::string reason, TemplateFailure kind) {
  return Value(std::make_shared<const Undefined>(Undefined{std::move(reason), kind}));
}

Value Value::of_text(std::string bytes, bool markup) {
  return Value(std::make_shared<const Text>(std::move(bytes), markup));
}

Value Value::list(std::vector<Value> items) {
  return make_sequence(SequenceKind::list, std::move(items));
}

Value Value::tuple(std::vector<Value> items) {
  return make_sequence(SequenceKind::tuple, std::move(items));
}

Object* Value::object() const {
  const auto* shared = std::get_if<std::shared_ptr<Object>>(&storage_);
  return shared == nullptr ? nullptr : shared->get();
}

Integer Value::integer() const {
  if (const bool* flag = boolean()) return *flag ? 1 : 0;
  return std::get<Integer>(storage_);
}

double Value::number() const {
  return real() != nullptr ? *real() : static_cast<double>(integer());
}

int Value::depth() const {
  if (const Sequence* items = sequence()) return items->depth;
  if (const Dict* entries = dict()) return entries->depth();
  return object() != nullptr ? object()->depth() : 0;
}

Sequence::Sequence(SequenceKind sequence_kind, std::vector<Value> values)
    : kind(sequence_kind), depth(depth_above(values)), items(std::move(values)) {}

Value make_sequence(SequenceKind kind, std::vector<Value> items) {
  return Value::of_sequence(std::make_shared<const Sequence>(kind, std::move(items)));
}

int depth_above(const std::vector<Value>& items) {
  int deepest = 0;
  for (const Value& item : items) deepest = std::max(deepest, item.depth());
  if (deepest >= kDeepestValue) {
    fail(TemplateFailure::limit, format("values nest deeper than {}", kDeepestValue));
  }
  return deepest + 1;
}

bool is_true(const Value& value) {
  switch (value.kind()) {
    case ValueKind::undefined:
    case ValueKind::none:
      return false;
    case ValueKind::boolean:
    case ValueKind::integer:
      return value.integer() != 0;
    case ValueKind::real:
      return *value.real() != 0;
    case ValueKind::text:
      return !value.text()->bytes.empty();
    case ValueKind::sequence:
      return value.sequence()->kind == SequenceKind::generator || !value.sequence()->items.empty();
    case ValueKind::dict:
      return !value.dict()->entries().empty();
    case ValueKind::object:
      return true;
  }
  return false;
}

namespace {

std::string sequence_type(SequenceKind kind) {
  switch (kind) {
    case SequenceKind::list:
      return "list";
    case SequenceKind::tuple:
    case SequenceKind::group:
      return "tuple";
    case SequenceKind::generator:
      return "generator";
    case SequenceKind::range:
      return "range";
    case SequenceKind::dict_keys:
      return "dict_keys";
    case SequenceKind::dict_values:
      return "dict_values";
    case SequenceKind::dict_items:
      return "dict_items";
  }
  return "sequence";
}

}  // namespace

std::string type_name(const Value& value) {
  switch (value.kind()) {
    case ValueKind::undefined:
      return "Undefined";
    case ValueKind::none:
      return "NoneType";
    case ValueKind::boolean:
      return "bool";
    case ValueKind::integer:
      return "int";
    case ValueKind::real:
      return "float";
    case ValueKind::text:
      return "str";
    case ValueKind::sequence:
      return sequence_type(value.sequence()->kind);
    case ValueKind::dict:
      return "dict";
    case ValueKind::object:
      return value.object()->type();
  }
  return "object";
}

void require_defined(const Value& value) {
  if (const Undefined* undefined = value.undefined()) fail(undefined->kind, undefined->reason);
}

std::optional<Value> Object::attribute(const Value& /*self*/, std::string_view /*name*/) {
  return std::nullopt;
}

Value Object::call(Rendering& /*rendering*/, const Arguments& /*arguments*/) {
  type_error(format("'{}' object is not callable", type()));
}

}  // namespace dflash::jinja
