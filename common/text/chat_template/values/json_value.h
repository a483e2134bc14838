// JSON rows as values.
//
// Threading: functions only.
#pragma once

#include "common/base/json.h"
#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

/// Fails for nesting deeper than kDeepestValue and for texts that are not UTF-8.
[[nodiscard]] Value value_of_json(const Json& json);

}  // namespace dflash::jinja
