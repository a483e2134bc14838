// Filters that compare: sort, dictsort, unique, min, max, groupby. Texts are compared without case unless asked for.
#include <algorithm>
#include <array>
#include <bit>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/attribute_path.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/string_text.h"

namespace dflash::jinja {
namespace {

struct Keyed {
  Value key;
  Value item;
};

Value key_of(const Value& value, bool case_sensitive) {
  return case_sensitive ? value : without_case(value);
}

void sort_by_key(Rendering& rendering, std::vector<Keyed>& rows, bool reverse) {
  rendering.budget.spend(rows.size() * static_cast<size_t>(std::bit_width(rows.size())));
  std::ranges::stable_sort(
      rows, [reverse](const Value& a, const Value& b) { return reverse ? is_less(b, a) : is_less(a, b); }, &Keyed::key);
}

std::vector<Value> items_in_order(std::vector<Keyed> rows) {
  std::vector<Value> items;
  items.reserve(rows.size());
  for (Keyed& row : rows) items.push_back(std::move(row.item));
  return items;
}

/// The attributes of `sort`, joined by commas.
std::vector<AttributePath> paths_of(const Value& attribute) {
  std::vector<AttributePath> paths;
  if (attribute.text() == nullptr) return {AttributePath(attribute)};
  for (const std::string_view part : split_at(attribute.text()->bytes, ",", -1, false)) {
    paths.emplace_back(Value::of_text(std::string(part)));
  }
  return paths;
}

Value sort(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  const std::vector<AttributePath> paths = paths_of(given.value_or(2, Value()));
  std::vector<Keyed> rows;
  for (const Value& item : items_of(rendering, input)) {
    std::vector<Value> key;
    for (const AttributePath& path : paths) key.push_back(key_of(path.of(item), given.flag(1, false)));
    rows.push_back({Value::list(std::move(key)), item});
  }
  sort_by_key(rendering, rows, given.flag(0, false));
  return Value::list(items_in_order(std::move(rows)));
}

Value dictsort(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  const std::string by = given.text_or(1, "key");
  if (by != "key" && by != "value") type_error("You can only sort by either \"key\" or \"value\"");
  if (input.dict() == nullptr) {
    require_defined(input);
    type_error(format("dictsort: a dictionary is required, not {}", type_name(input)));
  }
  std::vector<Keyed> rows;
  for (const auto& [key, value] : input.dict()->entries()) {
    rows.push_back({key_of(by == "key" ? key : value, given.flag(0, false)), Value::tuple({key, value})});
  }
  sort_by_key(rendering, rows, given.flag(2, false));
  return Value::list(items_in_order(std::move(rows)));
}

Value unique(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("unique", arguments, {"case_sensitive", "attribute"});
  const AttributePath path(given.value_or(1, Value()));
  std::vector<Value> keys;
  std::vector<Value> items;
  for (const Value& item : items_of(rendering, input)) {
    Value key = key_of(path.of(item), given.flag(0, false));
    require_hashable(key);
    rendering.budget.spend(keys.size());
    if (std::ranges::any_of(keys, [&](const Value& seen) { return are_equal(seen, key); })) continue;
    keys.push_back(std::move(key));
    items.push_back(item);
  }
  return make_sequence(SequenceKind::generator, std::move(items));
}

Value extreme(Rendering& rendering, const Value& input, const Arguments& arguments, bool largest) {
  const Parameters given(largest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  const AttributePath path(given.value_or(1, Value()));
  const std::vector<Value> items = items_of(rendering, input);
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const auto key = [&](const Value& item) { return key_of(path.of(item), given.flag(0, false)); };
  Value best = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    const bool better = largest ? order_of(key(items[i]), key(best), ">") == 1 : is_less(key(items[i]), key(best));
    if (better) best = items[i];
  }
  return best;
}

Value min(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return extreme(rendering, input, arguments, false);
}
Value max(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return extreme(rendering, input, arguments, true);
}

/// Pairs of a value and the items that have it, in order of the values.
Value groupby(Rendering& rendering, const Value& input, const Arguments& arguments) {
  const Parameters given("groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  const AttributePath path(given[0]);
  const Value otherwise = given.value_or(1, Value());
  std::vector<Keyed> rows;
  for (const Value& item : items_of(rendering, input)) {
    rows.push_back({key_of(path.of(item, otherwise), given.flag(2, false)), item});
  }
  sort_by_key(rendering, rows, false);
  std::vector<Value> groups;
  for (size_t begin = 0; begin < rows.size();) {
    std::vector<Value> members;
    size_t end = begin;
    for (; end < rows.size() && are_equal(rows[end].key, rows[begin].key); ++end) members.push_back(rows[end].item);
    if (end == begin) members.push_back(rows[end++].item);  // a NaN is not even equal to itself
    groups.push_back(make_sequence(SequenceKind::group, {path.of(members[0], otherwise), Value::list(members)}));
    begin = end;
  }
  return Value::list(std::move(groups));
}

constexpr auto kOrderFilters = std::to_array<FilterEntry>({
    {"dictsort", dictsort},
    {"groupby", groupby},
    {"max", max},
    {"min", min},
    {"sort", sort},
    {"unique", unique},
});

}  // namespace

std::span<const FilterEntry> order_filters() {
  return kOrderFilters;
}

}  // namespace dflash::jinja
