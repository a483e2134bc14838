// Filters that apply a filter or a test to each item: map, select, reject, selectattr, rejectattr.
#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/attribute_path.h"
#include "common/text/chat_template/builtins/filters.h"
#include "common/text/chat_template/builtins/value_tests.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

const Value* named(const Arguments& arguments, std::string_view name) {
  const auto found =
      std::ranges::find(arguments.named, name, [](const auto& pair) { return std::string_view(pair.first); });
  return found == arguments.named.end() ? nullptr : &found->second;
}

/// `arguments` without the first `used`.
Arguments behind(const Arguments& arguments, size_t used) {
  return {{arguments.positional.begin() + static_cast<std::ptrdiff_t>(used), arguments.positional.end()},
          arguments.named};
}

Value map_attribute(Rendering& rendering, const Value& input, const Arguments& arguments, const Value& attribute) {
  for (const auto& [name, value] : arguments.named) {
    if (name != "attribute" && name != "default") type_error(format("Unexpected keyword argument '{}'", name));
  }
  const Value* otherwise = named(arguments, "default");
  const AttributePath path(attribute);
  std::vector<Value> results;
  for (const Value& item : items_of(rendering, input)) {
    results.push_back(path.of(item, otherwise == nullptr ? Value() : *otherwise));
  }
  return make_sequence(SequenceKind::generator, std::move(results));
}

Value map(Rendering& rendering, const Value& input, const Arguments& arguments) {
  if (!is_true(input)) return make_sequence(SequenceKind::generator, {});
  const Value* attribute = named(arguments, "attribute");
  if (arguments.positional.empty() && attribute != nullptr) {
    return map_attribute(rendering, input, arguments, *attribute);
  }
  if (arguments.positional.empty()) type_error("map requires a filter argument");
  const std::string name = str(arguments.positional[0]);
  const FilterPointer filter = find_filter(name);
  if (filter == nullptr) type_error(format("No filter named '{}'.", name));
  const Arguments rest = behind(arguments, 1);
  std::vector<Value> results;
  for (const Value& item : items_of(rendering, input)) results.push_back(filter(rendering, item, rest));
  return make_sequence(SequenceKind::generator, std::move(results));
}

/// Items for which a test holds (`wanted`) or does not; without a test, their truth is asked.
Value chosen(Rendering& rendering, const Value& input, const Arguments& arguments, bool wanted, bool by_attribute) {
  if (!is_true(input)) return make_sequence(SequenceKind::generator, {});
  const size_t before = by_attribute ? 1 : 0;
  if (arguments.positional.size() < before) type_error("Missing parameter for attribute name");
  const AttributePath path(by_attribute ? arguments.positional[0] : Value());
  TestPointer test = nullptr;
  Arguments rest;
  if (arguments.positional.size() > before) {
    const std::string name = str(arguments.positional[before]);
    test = find_test(name);
    if (test == nullptr) type_error(format("No test named '{}'.", name));
    rest = behind(arguments, before + 1);
  }
  std::vector<Value> kept;
  for (const Value& item : items_of(rendering, input)) {
    const Value value = path.of(item);
    const bool holds = test == nullptr ? is_true(value) : test(rendering, value, rest);
    if (holds == wanted) kept.push_back(item);
  }
  return make_sequence(SequenceKind::generator, std::move(kept));
}

Value select(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return chosen(rendering, input, arguments, true, false);
}
Value reject(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return chosen(rendering, input, arguments, false, false);
}
Value selectattr(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return chosen(rendering, input, arguments, true, true);
}
Value rejectattr(Rendering& rendering, const Value& input, const Arguments& arguments) {
  return chosen(rendering, input, arguments, false, true);
}

constexpr auto kSelectionFilters = std::to_array<FilterEntry>({
    {"map", map},
    {"reject", reject},
    {"rejectattr", rejectattr},
    {"select", select},
    {"selectattr", selectattr},
});

}  // namespace

std::span<const FilterEntry> selection_filters() {
  return kSelectionFilters;
}

}  // namespace dflash::jinja
