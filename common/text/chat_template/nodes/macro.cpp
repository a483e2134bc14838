#include "common/text/chat_template/nodes/macro.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

Value make_macro(Rendering& rendering, const MacroParts& parts) {
  rendering.dissolve_at_end(rendering.scope());
  return Value::of_object(std::make_shared<MacroObject>(&parts, rendering.scope()));
}

using Named = std::vector<std::pair<std::string, Value>>;

/// Takes the argument of that name out of `named`.
std::optional<Value> take(Named& named, std::string_view name) {
  const auto found = std::ranges::find(named, name, [](const auto& pair) { return std::string_view(pair.first); });
  if (found == named.end()) return std::nullopt;
  Value value = std::move(found->second);
  named.erase(found);
  return value;
}

void set_parameters(Rendering& rendering, const MacroParts& parts, const Arguments& arguments, Named& named) {
  for (size_t i = 0; i < parts.parameters.size(); ++i) {
    const auto& [name, otherwise] = parts.parameters[i];
    if (i < arguments.positional.size()) {
      rendering.set(name, arguments.positional[i]);
    } else if (std::optional<Value> given = take(named, name)) {
      rendering.set(name, std::move(*given));
    } else if (otherwise != nullptr) {
      rendering.set(name, rendering.evaluate(*otherwise));
    } else {
      rendering.set(name, Value::undefined(format("parameter '{}' was not provided", name)));
    }
  }
}

/// varargs and kwargs, or the failure of a macro that has no use for them.
void set_rest(Rendering& rendering, const MacroParts& parts, const Arguments& arguments, const Named& named) {
  if (parts.uses_kwargs) {
    std::vector<Dict::Entry> entries;
    for (const auto& [name, value] : named) entries.emplace_back(Value::of_text(name), value);
    rendering.set("kwargs", make_dict(std::move(entries)));
  } else if (!named.empty()) {
    type_error(format("macro {} takes no keyword argument {}", repr(parts.name), repr(named[0].first)));
  }
  const size_t taken = std::min(arguments.positional.size(), parts.parameters.size());
  std::vector<Value> rest(arguments.positional.begin() + static_cast<std::ptrdiff_t>(taken),
                          arguments.positional.end());
  if (parts.uses_varargs) {
    rendering.set("varargs", Value::tuple(std::move(rest)));
  } else if (!rest.empty()) {
    type_error(format("macro {} takes not more than {} argument(s)", repr(parts.name), parts.parameters.size()));
  }
}

}  // namespace

Flow MacroNode::run(Rendering& rendering) const {
  rendering.set(parts_.name, make_macro(rendering, parts_));
  return Flow::onwards;
}

Flow CallBlockNode::run(Rendering& rendering) const {
  const Value caller = make_macro(rendering, caller_);
  rendering.print(call_->evaluate_with(rendering, &caller));
  return Flow::onwards;
}

std::optional<Value> MacroObject::attribute(const Value& /*self*/, std::string_view name) {
  if (name == "name") return Value::of_text(parts_->name);
  return std::nullopt;
}

Value MacroObject::call(Rendering& rendering, const Arguments& arguments) {
  const auto inside = scope_in(around_);
  const int line = rendering.line;
  Named named = arguments.named;
  {
    const ScopeChange change(rendering, inside);
    if (parts_->uses_caller) {
      rendering.set("caller", take(named, "caller").value_or(Value::undefined("No caller defined")));
    }
    set_parameters(rendering, *parts_, arguments, named);
    set_rest(rendering, *parts_, arguments, named);
  }
  std::string text = rendering.capture(parts_->body, inside);
  rendering.line = line;
  return rendering.make_text(std::move(text));
}

}  // namespace dflash::jinja
