#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/methods.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

Value sequence_index(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("index", arguments, {"value", "start", "stop"}, 1);
  const auto& items = self.sequence()->items;
  const auto size = static_cast<int64_t>(items.size());
  const auto place = [size](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size); };
  rendering.budget.spend(items.size());
  const int64_t end = place(given.count(2, size));
  for (int64_t i = place(given.count(1, 0)); i < end; ++i) {
    if (are_equal(items[static_cast<size_t>(i)], given[0])) return Value::of_integer(i);
  }
  type_error(format("{} is not in the {}", repr(given[0]), type_name(self)));
}

Value sequence_count(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters given("count", arguments, {"value"}, 1);
  rendering.budget.spend(self.sequence()->items.size());
  return Value::of_integer(
      std::ranges::count_if(self.sequence()->items, [&](const Value& item) { return are_equal(item, given[0]); }));
}

Value list_copy(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters none("copy", arguments, {});
  rendering.budget.spend(self.sequence()->items.size());
  return Value::list(self.sequence()->items);
}

Value dict_get(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters given("get", arguments, {"key", "default"}, 1);
  require_hashable(given[0]);
  const Value* found = self.dict()->find(given[0]);
  return found != nullptr ? *found : given.value_or(1, Value());
}

template <class Pick>
Value view(Rendering& rendering, const Value& self, SequenceKind kind, const Pick& pick) {
  std::vector<Value> items;
  items.reserve(self.dict()->entries().size());
  for (const auto& entry : self.dict()->entries()) items.push_back(pick(entry));
  rendering.budget.spend(items.size());
  return make_sequence(kind, std::move(items));
}

Value dict_keys(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters none("keys", arguments, {});
  return view(rendering, self, SequenceKind::dict_keys, [](const Dict::Entry& entry) { return entry.first; });
}

Value dict_values(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters none("values", arguments, {});
  return view(rendering, self, SequenceKind::dict_values, [](const Dict::Entry& entry) { return entry.second; });
}

Value dict_items(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const Parameters none("items", arguments, {});
  return view(rendering, self, SequenceKind::dict_items,
              [](const Dict::Entry& entry) { return Value::tuple({entry.first, entry.second}); });
}

Value dict_copy(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("copy", arguments, {});
  return self;
}

constexpr auto kListMethods = std::to_array<MethodEntry>({
    {"append", nullptr},
    {"clear", nullptr},
    {"copy", list_copy},
    {"count", sequence_count},
    {"extend", nullptr},
    {"index", sequence_index},
    {"insert", nullptr},
    {"pop", nullptr},
    {"remove", nullptr},
    {"reverse", nullptr},
    {"sort", nullptr},
});

constexpr auto kTupleMethods = std::to_array<MethodEntry>({{"count", sequence_count}, {"index", sequence_index}});

constexpr auto kDictMethods = std::to_array<MethodEntry>({
    {"clear", nullptr},
    {"copy", dict_copy},
    {"get", dict_get},
    {"items", dict_items},
    {"keys", dict_keys},
    {"pop", nullptr},
    {"popitem", nullptr},
    {"setdefault", nullptr},
    {"update", nullptr},
    {"values", dict_values},
});

std::span<const MethodEntry> methods_of(const Value& value) {
  if (value.text() != nullptr) return text_methods();
  if (value.dict() != nullptr) return kDictMethods;
  if (value.sequence() == nullptr) return {};
  switch (value.sequence()->kind) {
    case SequenceKind::list:
      return kListMethods;
    case SequenceKind::tuple:
    case SequenceKind::group:
    case SequenceKind::range:
      return kTupleMethods;
    default:
      return {};
  }
}

}  // namespace

const MethodEntry* find_method(const Value& value, std::string_view name) {
  const auto methods = methods_of(value);
  const auto place = std::ranges::find(methods, name, &MethodEntry::name);
  return place == methods.end() ? nullptr : &*place;
}

}  // namespace dflash::jinja
