// NamespaceObject: what namespace() gives; the one thing that a template can change.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

class NamespaceObject : public Object {
 public:
  [[nodiscard]] std::string type() const override { return "Namespace"; }
  [[nodiscard]] std::optional<Value> attribute(const Value& self, std::string_view name) override;
  /// Fails for a name that begins with an underscore.
  void set(std::string_view name, Value value);
  void clear() { values_.clear(); }

 private:
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace dflash::jinja
