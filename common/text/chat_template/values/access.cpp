#include "common/text/chat_template/values/access.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/methods.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/python_text.h"
#include "common/text/chat_template/values/string_text.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

std::string described(const Value& value) {
  return value.is_none() ? "None" : type_name(value) + " object";
}

Value unsafe(const Value& value, std::string_view name) {
  return Value::undefined(format("access to attribute '{}' of '{}' object is unsafe.", name, type_name(value)),
                          TemplateFailure::security);
}

Value no_attribute(const Value& value, std::string_view name) {
  return Value::undefined(format("'{}' has no attribute {}", described(value), repr(name)));
}

/// Every object of Python has attributes of this form; none of them is a template's business.
bool is_internal_name(std::string_view name) {
  return name.size() > 4 && name.starts_with("__") && name.ends_with("__");
}

/// What getattr() would find, guarded; nothing when there is no such attribute.
std::optional<Value> own_attribute(const Value& value, std::string_view name) {
  if (value.is_undefined()) require_defined(value);
  if (is_internal_name(name)) return unsafe(value, name);
  if (const MethodEntry* method = find_method(value, name)) {
    if (method->method == nullptr) return unsafe(value, name);
    return Value::of_object(std::make_shared<Method>(value, method->method));
  }
  const Sequence* sequence = value.sequence();
  if (sequence != nullptr && sequence->kind == SequenceKind::group) {
    if (name == "grouper") return sequence->items[0];
    if (name == "list") return sequence->items[1];
  }
  return value.object() != nullptr ? value.object()->attribute(value, name) : std::nullopt;
}

bool has_positions(const Value& value) {
  if (value.text() != nullptr) return true;
  if (value.sequence() == nullptr) return false;
  const SequenceKind kind = value.sequence()->kind;
  return kind == SequenceKind::list || kind == SequenceKind::tuple || kind == SequenceKind::group ||
         kind == SequenceKind::range;
}

size_t positions(const Value& value) {
  return value.text() != nullptr ? value.text()->characters : value.sequence()->items.size();
}

Value at_position(const Value& value, size_t at) {
  if (const Text* text = value.text())
    return Value::of_text(std::string(characters_of(*text, at, at + 1)), text->markup);
  return value.sequence()->items[at];
}

std::optional<Value> own_item(const Value& value, const Value& key) {
  if (value.is_undefined()) require_defined(value);
  if (const Dict* dict = value.dict()) {
    const Value* found = dict->find(key);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  if (!has_positions(value) || !key.is_integral()) return std::nullopt;
  const auto size = static_cast<Integer>(positions(value));
  const Integer index = key.integer() < 0 ? key.integer() + size : key.integer();
  if (index < 0 || index >= size) return std::nullopt;
  return at_position(value, static_cast<size_t>(index));
}

Value sliced_text(Rendering& rendering, const Text& text, const std::vector<size_t>& places, bool contiguous) {
  if (contiguous) {
    const size_t begin = places.empty() ? 0 : places.front();
    return rendering.make_text(std::string(characters_of(text, begin, begin + places.size())), text.markup);
  }
  std::vector<std::string_view> characters;
  for (size_t at = 0; at < text.bytes.size(); at += characters.back().size()) {
    characters.push_back(
        std::string_view(text.bytes).substr(at, utf8_bytes(static_cast<unsigned char>(text.bytes[at]))));
  }
  std::string result;
  for (const size_t place : places) result += characters[place];
  return rendering.make_text(std::move(result), text.markup);
}

/// The places that a slice of something of `size` takes.
std::vector<size_t> sliced_places(const SliceBounds& bounds, int64_t size) {
  const int64_t step = bounds.step.value_or(1);
  if (step == 0) type_error("slice step cannot be zero");
  const int64_t lowest = step > 0 ? 0 : -1;
  const int64_t highest = step > 0 ? size : size - 1;
  const auto clamped = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound) return otherwise;
    return std::clamp(*bound < 0 ? *bound + size : *bound, lowest, highest);
  };
  const int64_t begin = clamped(bounds.begin, step > 0 ? 0 : size - 1);
  const int64_t end = clamped(bounds.end, step > 0 ? size : -1);
  std::vector<size_t> places;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    places.push_back(static_cast<size_t>(i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return places;
}

}  // namespace

Value attribute(const Value& value, std::string_view name) {
  if (const std::optional<Value> found = own_attribute(value, name)) return *found;
  if (const Dict* dict = value.dict()) {
    if (const Value* found = dict->find(name)) return *found;
  }
  return no_attribute(value, name);
}

Value item(const Value& value, const Value& key) {
  if (const std::optional<Value> found = own_item(value, key)) return *found;
  const Text* name = key.text();
  if (name == nullptr) return Value::undefined(format("{} has no element {}", described(value), repr(key)));
  if (const std::optional<Value> found = own_attribute(value, name->bytes)) return *found;
  return no_attribute(value, name->bytes);
}

Value slice(Rendering& rendering, const Value& value, const SliceBounds& bounds) {
  require_defined(value);
  if (value.dict() != nullptr) type_error("unhashable type: 'slice'");
  if (!has_positions(value)) type_error(format("'{}' object is not subscriptable", type_name(value)));
  const std::vector<size_t> places = sliced_places(bounds, static_cast<int64_t>(positions(value)));
  if (const Text* text = value.text()) {
    return sliced_text(rendering, *text, places, bounds.step.value_or(1) == 1);
  }
  rendering.budget.spend(places.size());
  std::vector<Value> items;
  items.reserve(places.size());
  for (const size_t place : places) items.push_back(value.sequence()->items[place]);
  const SequenceKind kind = value.sequence()->kind;
  return make_sequence(kind == SequenceKind::group ? SequenceKind::tuple : kind, std::move(items));
}

std::vector<Value> items_of(Rendering& rendering, const Value& value) {
  std::vector<Value> items;
  if (const Sequence* sequence = value.sequence()) {
    const size_t begin = sequence->kind == SequenceKind::generator ? sequence->taken : 0;
    if (sequence->kind == SequenceKind::generator) sequence->taken = sequence->items.size();
    items.assign(sequence->items.begin() + static_cast<std::ptrdiff_t>(begin), sequence->items.end());
  } else if (const Dict* dict = value.dict()) {
    for (const auto& entry : dict->entries()) items.push_back(entry.first);
  } else if (const Text* text = value.text()) {
    rendering.budget.spend(text->characters);
    for (size_t at = 0; at < text->bytes.size();) {
      const size_t bytes = utf8_bytes(static_cast<unsigned char>(text->bytes[at]));
      items.push_back(Value::of_text(text->bytes.substr(at, bytes)));
      at += bytes;
    }
  } else if (!value.is_undefined() || value.undefined()->kind != TemplateFailure::undefined) {
    require_defined(value);
    type_error(format("'{}' object is not iterable", type_name(value)));
  }
  rendering.budget.spend(items.size());
  return items;
}

bool is_iterable(const Value& value) {
  return value.text() != nullptr || value.sequence() != nullptr || value.dict() != nullptr || value.is_undefined();
}

size_t length_of(const Value& value) {
  if (const Text* text = value.text()) return text->characters;
  if (const Dict* dict = value.dict()) return dict->entries().size();
  if (value.is_undefined()) return 0;
  const Sequence* sequence = value.sequence();
  if (sequence == nullptr || sequence->kind == SequenceKind::generator) {
    type_error(format("object of type '{}' has no len()", type_name(value)));
  }
  return sequence->items.size();
}

bool is_callable(const Value& value) {
  return value.object() != nullptr && value.object()->callable();
}

Value call(Rendering& rendering, const Value& callee, const Arguments& arguments) {
  require_defined(callee);
  if (!is_callable(callee)) type_error(format("'{}' object is not callable", type_name(callee)));
  const Value held = callee;  // the call may overwrite the variable that holds it
  const DepthGuard guard(rendering.budget);
  return held.object()->call(rendering, arguments);
}

}  // namespace dflash::jinja
