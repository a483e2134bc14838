// Tests: {{ value is name(arguments) }}, by name.
//
// Threading: a constant table; the tests themselves as Rendering.
#pragma once

#include <string_view>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

using TestPointer = bool (*)(Rendering&, const Value& input, const Arguments&);

/// Null when there is no test of that name.
[[nodiscard]] TestPointer find_test(std::string_view name);

}  // namespace dflash::jinja
