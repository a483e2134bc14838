// The values of Arrow arrays as JSON.
#pragma once

#include <arrow/array/array_base.h>

#include <cstdint>

#include "common/base/json.h"

namespace dflash {

/// The value at `index`: structs and maps become objects, lists lists, numbers numbers (not finite: null), dictionaries
/// what they stand for; times and other rare types become text as Arrow writes it. Text is taken as it is, UTF-8 or
/// not.
[[nodiscard]] Json arrow_json(const arrow::Array& array, int64_t index);

}  // namespace dflash
