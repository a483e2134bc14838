#include "common/text/chat_template/run/namespace_object.h"

#include "common/base/format.h"

namespace dflash::jinja {

std::optional<Value> NamespaceObject::attribute(const Value& /*self*/, std::string_view name) {
  for (const auto& [own, value] : values_) {
    if (own == name) return value;
  }
  return std::nullopt;
}

void NamespaceObject::set(std::string_view name, Value value) {
  if (name.starts_with('_')) {
    fail(TemplateFailure::security, format("a namespace cannot hold '{}': its name begins with an underscore", name));
  }
  for (auto& [own, old] : values_) {
    if (own == name) {
      old = std::move(value);
      return;
    }
  }
  values_.emplace_back(name, std::move(value));
}

}  // namespace dflash::jinja
