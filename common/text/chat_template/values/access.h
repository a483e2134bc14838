// Reaching into values: attributes, items, slices, iteration, calls; by the rules of Jinja's sandbox.
//
// Threading: as Rendering.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

/// value.name: a method or attribute, else the item of that name, else undefined. What a template may not touch is
/// undefined too, and fails when it is used.
[[nodiscard]] Value attribute(const Value& value, std::string_view name);

/// value[key]: the item, else, for a text, the attribute of that name, else undefined.
[[nodiscard]] Value item(const Value& value, const Value& key);

/// value[begin:end:step]; nothing stands for a bound that is left out. Fails for what has no order.
struct SliceBounds {
  std::optional<int64_t> begin;
  std::optional<int64_t> end;
  std::optional<int64_t> step;
};
[[nodiscard]] Value slice(Rendering& rendering, const Value& value, const SliceBounds& bounds);

/// What a loop over `value` sees: items, keys of a dictionary, characters of a text. A generator is used up.
[[nodiscard]] std::vector<Value> items_of(Rendering& rendering, const Value& value);
[[nodiscard]] bool is_iterable(const Value& value);

/// len(value); fails for what has none.
[[nodiscard]] size_t length_of(const Value& value);

[[nodiscard]] Value call(Rendering& rendering, const Value& callee, const Arguments& arguments);
[[nodiscard]] bool is_callable(const Value& value);

}  // namespace dflash::jinja
