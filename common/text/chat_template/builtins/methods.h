// Methods of texts, lists, tuples and dictionaries, by name.
//
// Threading: constant tables.
#pragma once

#include <span>
#include <string_view>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

struct MethodEntry {
  std::string_view name;
  MethodPointer method;  ///< null: it exists, and a template may not use it
};

[[nodiscard]] std::span<const MethodEntry> text_methods();

/// Null when values of this type have no method of that name.
[[nodiscard]] const MethodEntry* find_method(const Value& value, std::string_view name);

}  // namespace dflash::jinja
