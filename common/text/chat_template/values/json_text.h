// json.dumps: values as JSON text, with Python's spaces.
//
// Threading: functions only.
#pragma once

#include <optional>
#include <string>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> indent;  ///< one level; nothing writes all on one line
  std::string between_items = ", ";
  std::string behind_keys = ": ";
};

/// Fails for what JSON has no form for: undefined, generators, functions, keys that are lists.
[[nodiscard]] std::string json_text(const Value& value, const JsonStyle& style);

}  // namespace dflash::jinja
