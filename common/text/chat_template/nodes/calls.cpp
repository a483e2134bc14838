#include "common/text/chat_template/nodes/calls.h"

#include "common/base/format.h"
#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/access.h"
#include "common/text/chat_template/values/dict.h"

namespace dflash::jinja {

Arguments CallArguments::evaluate(Rendering& rendering) const {
  Arguments result;
  result.positional.reserve(positional.size());
  for (const auto& expression : positional) result.positional.push_back(rendering.evaluate(*expression));
  for (const auto& [name, expression] : named) result.named.emplace_back(name, rendering.evaluate(*expression));
  if (list != nullptr) {
    for (Value& value : items_of(rendering, rendering.evaluate(*list))) result.positional.push_back(std::move(value));
  }
  if (dict != nullptr) {
    const Value names = rendering.evaluate(*dict);
    if (names.dict() == nullptr) type_error(format("argument after ** must be a mapping, not {}", type_name(names)));
    for (const auto& [name, value] : names.dict()->entries()) {
      if (name.text() == nullptr) type_error("keywords must be strings");
      result.named.emplace_back(name.text()->bytes, value);
    }
  }
  return result;
}

Value CallNode::evaluate_with(Rendering& rendering, const Value* caller) const {
  const Value callee = rendering.evaluate(*callee_);
  Arguments arguments = arguments_.evaluate(rendering);
  if (caller != nullptr) arguments.named.emplace_back("caller", *caller);
  return call(rendering, callee, arguments);
}

Value FilterCall::apply(Rendering& rendering, const Value& input) const {
  if (filter == nullptr) type_error(format("No filter named '{}'.", name));
  return filter(rendering, input, arguments.evaluate(rendering));
}

Value FilterNode::evaluate(Rendering& rendering) const {
  return call_.apply(rendering, rendering.evaluate(*input_));
}

Value TestNode::evaluate(Rendering& rendering) const {
  if (test_ == nullptr) type_error(format("No test named '{}'.", name_));
  const Value input = rendering.evaluate(*input_);
  return Value::of_bool(test_(rendering, input, arguments_.evaluate(rendering)));
}

}  // namespace dflash::jinja
