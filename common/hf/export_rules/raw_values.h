// Reading a config.json that anybody may have written: what is absent or of a wrong type is nothing, never an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace dflash {

/// object[key]; null when `object` is no object or has no such key.
[[nodiscard]] const Json& raw_member(const Json& object, const std::string& key);
/// array[index]; null when `array` is no array or ends before.
[[nodiscard]] const Json& raw_element(const Json& array, size_t index);

/// Integers are taken within 32 bits or so (kLargestSize), so that their products stay within 64.
[[nodiscard]] std::optional<int64_t> raw_integer(const Json& value);
[[nodiscard]] std::optional<std::vector<int64_t>> raw_integers(const Json& value);
[[nodiscard]] std::optional<bool> raw_flag(const Json& value);
/// A finite number above 0.
[[nodiscard]] std::optional<double> raw_positive(const Json& value);
/// "" when it is no string.
[[nodiscard]] std::string raw_text(const Json& value);

/// The value as JSON, cut to a line's length, without control characters.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace dflash
