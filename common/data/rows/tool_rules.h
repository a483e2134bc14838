// Tools and their calls as people write them, made into what chat templates take: lists and objects, no JSON text.
#pragma once

#include <string>

#include "common/base/json.h"

namespace dflash {

/// The `tools` of a row: a list of schemas or such a list as JSON text. Bare schemas {"name", ...} are wrapped as
/// {"type": "function", "function": ...}. Null when there are none (null, "", []). Throws BadRow{bad_tools}.
[[nodiscard]] Json normal_tools(const Json& tools);

/// The `tool_calls` of a message: a list, or one as JSON text; arguments written as JSON text become objects. Throws
/// BadRow{bad_tool_call}.
[[nodiscard]] Json normal_tool_calls(const Json& calls, const std::string& where);

/// The calls that a turn of `function_call` speaks: JSON text of one {"name", "arguments"} or of a list of them. Throws
/// BadRow{bad_tool_call}.
[[nodiscard]] Json spoken_tool_calls(const std::string& text, const std::string& where);

}  // namespace dflash
