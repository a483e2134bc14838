// Settings that are a table of names and values (the schema's named_values): kept as words NAME=JSON in the order of
// names, shown as TOML.
//
// Threading: functions only.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "common/base/json.h"

namespace dflash {

/// `value` (no null in it) as TOML on one line.
[[nodiscard]] std::string toml_text(const Json& value);

/// The table in `field` as TOML on one line: {enable_thinking = false}.
[[nodiscard]] std::string named_values_text(const google::protobuf::Message& section,
                                            const google::protobuf::FieldDescriptor& field);

/// Puts `value` under `name`, in place of what stood there.
void set_named_value(google::protobuf::Message& section, const google::protobuf::FieldDescriptor& field,
                     const std::string& name, const Json& value);

}  // namespace dflash
