// Filters: {{ value | name(arguments) }}, by name.
//
// Threading: constant tables; the filters themselves as Rendering.
#pragma once

#include <span>
#include <string_view>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

using FilterPointer = Value (*)(Rendering&, const Value& input, const Arguments&);

struct FilterEntry {
  std::string_view name;
  FilterPointer filter;
};

[[nodiscard]] std::span<const FilterEntry> text_filters();
[[nodiscard]] std::span<const FilterEntry> layout_filters();
[[nodiscard]] std::span<const FilterEntry> number_filters();
[[nodiscard]] std::span<const FilterEntry> sequence_filters();
[[nodiscard]] std::span<const FilterEntry> order_filters();
[[nodiscard]] std::span<const FilterEntry> selection_filters();

/// Null when there is no filter of that name.
[[nodiscard]] FilterPointer find_filter(std::string_view name);

}  // namespace dflash::jinja
