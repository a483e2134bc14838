// Messages as transformers gives them to a template.
//
// Threading: functions only.
#pragma once

#include "common/base/json.h"

namespace dflash {

/// Every message without its null values; reasoning that stands in `reasoning_content`, `thinking` or `reasoning` (the
/// first that is there) also as `thinking`, when that is missing, and as `reasoning_content`. Error{input_file} when
/// `messages` is not a list of objects.
[[nodiscard]] Json prepare_messages(const Json& messages);

}  // namespace dflash
