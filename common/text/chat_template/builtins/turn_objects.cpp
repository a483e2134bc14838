#include "common/text/chat_template/builtins/turn_objects.h"

#include "common/text/chat_template/values/parameters.h"

namespace dflash::jinja {
namespace {

Value cycler_next(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("next", arguments, {});
  return static_cast<Cycler*>(self.object())->next();
}

Value cycler_reset(Rendering& /*rendering*/, const Value& self, const Arguments& arguments) {
  const Parameters none("reset", arguments, {});
  static_cast<Cycler*>(self.object())->reset();
  return {};
}

}  // namespace

std::optional<Value> Cycler::attribute(const Value& self, std::string_view name) {
  if (name == "next") return Value::of_object(std::make_shared<Method>(self, cycler_next));
  if (name == "reset") return Value::of_object(std::make_shared<Method>(self, cycler_reset));
  if (name == "current") return items_[place_];
  return std::nullopt;
}

const Value& Cycler::next() {
  const size_t now = place_;
  place_ = (place_ + 1) % items_.size();
  return items_[now];
}

Value Joiner::call(Rendering& /*rendering*/, const Arguments& arguments) {
  const Parameters none("joiner", arguments, {});
  if (used_) return separator_;
  used_ = true;
  return Value::of_text("");
}

}  // namespace dflash::jinja
