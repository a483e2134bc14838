#include "common/text/chat_template/nodes/target.h"

#include "common/base/format.h"
#include "common/text/chat_template/values/access.h"

namespace dflash::jinja {

void Target::assign(Rendering& rendering, const Value& value) const {
  if (is_tuple) {
    const std::vector<Value> items = items_of(rendering, value);
    if (items.size() < parts.size()) {
      type_error(format("not enough values to unpack (expected {}, got {})", parts.size(), items.size()));
    }
    if (items.size() > parts.size()) type_error(format("too many values to unpack (expected {})", parts.size()));
    for (size_t i = 0; i < parts.size(); ++i) parts[i].assign(rendering, items[i]);
  } else if (attribute.empty()) {
    rendering.set(name, value);
  } else {
    const Value object = rendering.find(name);
    require_defined(object);
    auto* const target = dynamic_cast<NamespaceObject*>(object.object());
    if (target == nullptr) type_error("cannot assign attribute on non-namespace object");
    target->set(attribute, value);
  }
}

}  // namespace dflash::jinja
