// Filters on sequences as they stand: length, list, items, first, last, join, reverse, batch, slice, default, attr.
#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/attribute_path.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

Value length(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters none("length", arguments, {});
  return Value::of_size(length_of(input));
}

Value list(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("list", arguments, {});
  return Value::list(items_of(rendering, input));
}

Value items(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("items", arguments, {});
  std::vector<Value> pairs;
  if (input.dict() == nullptr && !input.is_undefined()) type_error("Can only get item pairs from a mapping.");
  if (input.dict() != nullptr) {
    for (const auto& [key, value] : input.dict()->entries()) pairs.push_back(Value::tuple({key, value}));
  }
  rendering.budget.spend(pairs.size());
  return make_sequence(SequenceKind::generator, std::move(pairs));
}

Value first(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("first", arguments, {});
  const Sequence* sequence = input.sequence();
  if (sequence != nullptr && sequence->kind == SequenceKind::generator) {
    if (sequence->taken < sequence->items.size()) return sequence->items[sequence->taken++];
  } else {
    const std::vector<Value> all = items_of(rendering, input);
    if (!all.empty()) return all.front();
  }
  return Value::undefined("No first item, sequence was empty.");
}

Value last(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("last", arguments, {});
  const Sequence* sequence = input.sequence();
  if (sequence != nullptr && sequence->kind == SequenceKind::generator) {
    type_error("'generator' object is not reversible");
  }
  const std::vector<Value> all = items_of(rendering, input);
  return all.empty() ? Value::undefined("No last item, sequence was empty.") : all.back();
}

Value join(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("join", arguments, {"d", "attribute"});
  const std::string separator = given.has(0) ? str(given[0]) : "";
  const AttributePath path(given.value_or(1, Value()));
  const std::vector<Value> all = items_of(rendering, input);
  std::string joined;
  for (size_t i = 0; i < all.size() && joined.size() <= rendering.budget.text_bytes(); ++i) {
    if (i > 0) joined += separator;
    append_str(joined, path.of(all[i]));
  }
  return rendering.make_text(std::move(joined));
}

Value reverse(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters none("reverse", arguments, {});
  if (input.text() != nullptr) return slice(rendering, input, {std::nullopt, std::nullopt, -1});
  std::vector<Value> all = items_of(rendering, input);
  std::ranges::reverse(all);
  const bool is_generator = input.sequence() != nullptr && input.sequence()->kind == SequenceKind::generator;
  return make_sequence(is_generator ? SequenceKind::list : SequenceKind::generator, std::move(all));
}

Value batch(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("batch", arguments, {"linecount", "fill_with"}, 1);
  const int64_t size = given.count(0, 1);
  std::vector<Value> batches;
  std::vector<Value> current;
  for (const Value& item : items_of(rendering, input)) {
    if (static_cast<int64_t>(current.size()) == size) batches.push_back(Value::list(std::exchange(current, {})));
    current.push_back(item);
  }
  if (!current.empty()) {
    const auto missing = static_cast<uint64_t>(std::max<int64_t>(size - static_cast<int64_t>(current.size()), 0));
    if (given.given(1)) {
      rendering.budget.spend(rendering.budget.product(1, missing));
      current.insert(current.end(), missing, given[1]);
    }
    batches.push_back(Value::list(std::move(current)));
  }
  return make_sequence(SequenceKind::generator, std::move(batches));
}

Value slice_filter(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("slice", arguments, {"slices", "fill_with"}, 1);
  const std::vector<Value> all = items_of(rendering, input);
  const int64_t count = given.count(0, 1);
  if (count <= 0) type_error("slice: the number of slices must be positive");
  rendering.budget.spend(rendering.budget.product(1, static_cast<uint64_t>(count)));
  const size_t slices = static_cast<size_t>(count);
  const size_t longer = all.size() % slices;
  std::vector<Value> result;
  size_t at = 0;
  for (size_t i = 0; i < slices; ++i) {
    const size_t size = all.size() / slices + (i < longer ? 1 : 0);
    std::vector<Value> part(all.begin() + static_cast<std::ptrdiff_t>(at),
                            all.begin() + static_cast<std::ptrdiff_t>(at + size));
    if (given.given(1) && i >= longer) part.push_back(given[1]);
    result.push_back(Value::list(std::move(part)));
    at += size;
  }
  return make_sequence(SequenceKind::generator, std::move(result));
}

Value default_value(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters given("default", arguments, {"default_value", "boolean"});
  const bool missing = input.is_undefined() || (given.flag(1, false) && !is_true(input));
  return missing ? given.value_or(0, Value::of_text("")) : input;
}

/// The attribute alone, without the item of that name.
Value attr(Rendering& /*rendering*/, const Value& input, const Arguments& arguments) {
  const Parameters given("attr", arguments, {"name"}, 1);
  const Value found = attribute(input, given.text(0));
  const Dict* dict = input.dict();
  if (dict == nullptr || found.object() != nullptr || found.is_undefined()) return found;
  return Value::undefined(format("'dict object' has no attribute {}", repr(given.text(0))));
}

constexpr auto kSequenceFilters = std::to_array<FilterEntry>({
    {"attr", attr},
    {"batch", batch},
    {"count", length},
    {"d", default_value},
    {"default", default_value},
    {"first", first},
    {"items", items},
    {"join", join},
    {"last", last},
    {"length", length},
    {"list", list},
    {"reverse", reverse},
    {"slice", slice_filter},
});

}  // namespace

std::span<const FilterEntry> sequence_filters() {
  return kSequenceFilters;
}

}  // namespace dflash::jinja
