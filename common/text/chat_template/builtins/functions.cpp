#include "common/text/chat_template/builtins/functions.h"

#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/builtins/strftime.h"
#include "common/text/chat_template/builtins/turn_objects.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/parameters.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

constexpr int64_t kLongestRange = 100'000;  // of Jinja's sandbox

Value range(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("range", arguments, {"start", "stop", "step"}, 1);
  const int64_t begin = given.has(1) ? given.count(0, 0) : 0;
  const int64_t end = given.has(1) ? given.count(1, 0) : given.count(0, 0);
  const int64_t step = given.count(2, 1);
  if (step == 0) type_error("range() arg 3 must not be zero");
  const auto distance = step > 0 ? static_cast<Integer>(end) - begin : static_cast<Integer>(begin) - end;
  const Integer size = distance <= 0 ? 0 : (distance - 1) / (step > 0 ? step : -static_cast<Integer>(step)) + 1;
  if (size > kLongestRange) {
    type_error("Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
  }
  rendering.budget.spend(static_cast<uint64_t>(size));
  std::vector<Value> items;
  for (Integer i = 0; i < size; ++i) items.push_back(Value::of_integer(begin + i * step));
  return make_sequence(SequenceKind::range, std::move(items));
}

/// What dict() and namespace() are given: a dictionary or pairs, then names.
std::vector<Dict::Entry> entries_of(Rendering& rendering, const Arguments& arguments, std::string_view function) {
  if (arguments.positional.size() > 1) {
    type_error(format("{} expected at most 1 argument, got {}", function, arguments.positional.size()));
  }
  std::vector<Dict::Entry> entries;
  if (!arguments.positional.empty()) {
    if (const Dict* dict = arguments.positional[0].dict()) {
      entries = dict->entries();
    } else {
      for (const Value& pair : items_of(rendering, arguments.positional[0])) {
        const std::vector<Value> parts = items_of(rendering, pair);
        if (parts.size() != 2) type_error("dictionary update sequence element has a length other than 2");
        require_hashable(parts[0]);
        rendering.budget.spend(parts[0].text() == nullptr ? entries.size() : 1);
        entries.emplace_back(parts[0], parts[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) entries.emplace_back(Value::of_text(name), value);
  rendering.budget.spend(entries.size());
  return entries;
}

Value dict(Rendering& rendering, const Arguments& arguments) {
  return make_dict(entries_of(rendering, arguments, "dict"));
}

Value make_namespace(Rendering& rendering, const Arguments& arguments) {
  const auto object = rendering.make_namespace();
  for (auto& [name, value] : entries_of(rendering, arguments, "namespace")) {
    if (name.text() == nullptr) type_error("names of a namespace must be texts");
    object->set(name.text()->bytes, std::move(value));
  }
  return Value::of_object(object);
}

Value cycler(Rendering& /*rendering*/, const Arguments& arguments) {
  if (!arguments.named.empty()) type_error("cycler() takes no keyword arguments");
  if (arguments.positional.empty()) type_error("at least one item has to be provided");
  return Value::of_object(std::make_shared<Cycler>(arguments.positional));
}

Value joiner(Rendering& /*rendering*/, const Arguments& arguments) {
  const Parameters given("joiner", arguments, {"sep"});
  return Value::of_object(std::make_shared<Joiner>(given.value_or(0, Value::of_text(", "))));
}

Value raise_exception(Rendering& /*rendering*/, const Arguments& arguments) {
  const Parameters given("raise_exception", arguments, {"message"}, 1);
  fail(TemplateFailure::raised, str(given[0]));
}

Value strftime_now(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("strftime_now", arguments, {"format"}, 1);
  return rendering.make_text(time_text(given.text(0), rendering.now()));
}

struct FunctionEntry {
  std::string_view name;
  Value function;
};

}  // namespace

const Value* find_function(std::string_view name) {
  const auto entry = [](std::string_view function_name, FunctionPointer function) {
    return FunctionEntry{function_name, Value::of_object(std::make_shared<Function>(function))};
  };
  static const std::array<FunctionEntry, 7> functions = {entry("range", range),
                                                         entry("dict", dict),
                                                         entry("namespace", make_namespace),
                                                         entry("cycler", cycler),
                                                         entry("joiner", joiner),
                                                         entry("raise_exception", raise_exception),
                                                         entry("strftime_now", strftime_now)};
  const auto place = std::ranges::find(functions, name, &FunctionEntry::name);
  return place == functions.end() ? nullptr : &place->function;
}

}  // namespace dflash::jinja
