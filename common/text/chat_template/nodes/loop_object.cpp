#include "common/text/chat_template/nodes/loop_object.h"

#include <algorithm>

#include "common/text/chat_template/nodes/for_loop.h"
#include "common/text/chat_template/values/compare.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/parameters.h"

namespace dflash::jinja {
namespace {

LoopObject& loop_of(const Value& self) {
  return *static_cast<LoopObject*>(self.object());
}

/// A loop that keeps itself among its last values would never be freed.
bool holds_object(const Value& value) {
  if (const Sequence* sequence = value.sequence()) return std::ranges::any_of(sequence->items, holds_object);
  if (const Dict* dict = value.dict()) {
    return std::ranges::any_of(dict->entries(), [](const Dict::Entry& entry) { return holds_object(entry.second); });
  }
  return value.object() != nullptr;
}

Value cycle(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  if (!arguments.named.empty()) type_error("cycle() takes no keyword arguments");
  if (arguments.positional.empty()) type_error("no items for cycling given");
  return arguments.positional[loop_of(self).place() % arguments.positional.size()];
}

Value changed_method(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  if (!arguments.named.empty()) type_error("changed() takes no keyword arguments");
  return Value::of_bool(loop_of(self).changed(arguments.positional));
}

}  // namespace

std::optional<Value> LoopObject::attribute(const Value& self, std::string_view name) {
  const size_t last = items_.empty() ? 0 : items_.size() - 1;
  if (name == "index") return Value::of_size(place_ + 1);
  if (name == "index0") return Value::of_size(place_);
  if (name == "first") return Value::of_bool(place_ == 0);
  if (name == "last") return Value::of_bool(place_ >= last);
  if (name == "length") return Value::of_size(items_.size());
  if (name == "revindex") return Value::of_integer(static_cast<Integer>(items_.size()) - static_cast<Integer>(place_));
  if (name == "revindex0") return Value::of_integer(static_cast<Integer>(last) - static_cast<Integer>(place_));
  if (name == "depth") return Value::of_integer(level_ + 1);
  if (name == "depth0") return Value::of_integer(level_);
  if (name == "previtem") {
    return place_ > 0 && place_ <= items_.size() ? items_[place_ - 1] : Value::undefined("there is no previous item");
  }
  if (name == "nextitem") {
    return place_ < last ? items_[place_ + 1] : Value::undefined("there is no next item");
  }
  if (name == "cycle") return Value::of_object(std::make_shared<Method>(self, cycle));
  if (name == "changed") return Value::of_object(std::make_shared<Method>(self, changed_method));
  return std::nullopt;
}

Value LoopObject::call(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("loop", arguments, {"iterable"}, 1);
  if (node_ == nullptr) type_error("The loop must have the 'recursive' marker to be called recursively.");
  return node_->recurse(rendering, around_, given[0], level_ + 1);
}

bool LoopObject::changed(const std::vector<Value>& values) {
  const bool same = was_asked_ && std::ranges::equal(values, last_values_, are_equal);
  if (!same) {
    for (const Value& value : values) {
      if (holds_object(value)) type_error("loop.changed() of a function, loop or namespace is not supported");
    }
    last_values_ = values;
  }
  was_asked_ = true;
  return !same;
}

}  // namespace dflash::jinja
