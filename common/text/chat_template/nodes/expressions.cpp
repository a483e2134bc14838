#include "common/text/chat_template/nodes/expressions.h"

#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/numbers.h"

namespace dflash::jinja {

Value NameNode::evaluate(Rendering& rendering) const {
  return rendering.find(name_);
}

Value SequenceNode::evaluate(Rendering& rendering) const {
  std::vector<Value> items;
  items.reserve(items_.size());
  for (const auto& item : items_) items.push_back(rendering.evaluate(*item));
  return make_sequence(kind_, std::move(items));
}

Value DictNode::evaluate(Rendering& rendering) const {
  std::vector<Dict::Entry> entries;
  entries.reserve(entries_.size());
  for (const auto& [key, value] : entries_) {
    Value name = rendering.evaluate(*key);
    require_hashable(name);
    if (name.text() == nullptr) rendering.budget.spend(entries.size());
    Value content = rendering.evaluate(*value);
    entries.emplace_back(std::move(name), std::move(content));
  }
  return make_dict(std::move(entries));
}

Value AttributeNode::evaluate(Rendering& rendering) const {
  return attribute(rendering.evaluate(*object_), name_);
}

Value ItemNode::evaluate(Rendering& rendering) const {
  const Value object = rendering.evaluate(*object_);
  return item(object, rendering.evaluate(*key_));
}

Value SliceNode::evaluate(Rendering& rendering) const {
  const Value object = rendering.evaluate(*object_);
  const auto bound = [&](const ExpressionPtr& expression) -> std::optional<int64_t> {
    if (expression == nullptr) return std::nullopt;
    const Value value = rendering.evaluate(*expression);
    return value.is_none() ? std::nullopt : std::optional(to_count(value, "slice indices"));
  };
  SliceBounds bounds;
  bounds.begin = bound(begin_);
  bounds.end = bound(end_);
  bounds.step = bound(step_);
  return slice(rendering, object, bounds);
}

Value ConditionNode::evaluate(Rendering& rendering) const {
  if (is_true(rendering.evaluate(*condition_))) return rendering.evaluate(*yes_);
  if (no_ != nullptr) return rendering.evaluate(*no_);
  return Value::undefined("the inline if-expression evaluated to false and no else section was defined.");
}

}  // namespace dflash::jinja
