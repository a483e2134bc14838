// Functions of the environment: range, dict, namespace, cycler, joiner, raise_exception, strftime_now.
//
// Threading: constant values, shared by all renderings.
#pragma once

#include <string_view>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

/// Null when there is no function of that name.
[[nodiscard]] const Value* find_function(std::string_view name);

}  // namespace dflash::jinja
