// The words for a key and its value: type, range, and values as TOML. Used by messages, help, table and config_toml
// alike.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "common/config/schema.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// "integer", "number", "string", "auto | float32 | bfloat16", "array of integers", ...
[[nodiscard]] std::string type_text(const google::protobuf::FieldDescriptor& field);

/// The words an enum takes: "auto | float32 | bfloat16".
[[nodiscard]] std::string choices_text(const google::protobuf::FieldDescriptor& field);

/// "at least 1", "from 0 to 1", "above 0, at most 86400"; empty when the schema sets no limit.
[[nodiscard]] std::string range_text(const google::protobuf::FieldDescriptor& field);

/// True when `value` lies inside the limits that range_text names.
[[nodiscard]] bool in_range(const google::protobuf::FieldDescriptor& field, double value);

/// The value of `field` in `section`, as TOML; the default where it is not set.
[[nodiscard]] std::string value_text(const google::protobuf::Message& section,
                                     const google::protobuf::FieldDescriptor& field);

[[nodiscard]] bool any_layer_slides(const DrafterSection& drafter);

/// True for a key that counts for nothing beside the others (train.epochs beside train.steps, a window where no layer
/// slides, no recorded folder): it is left out of the TOML text, and shown as "-".
[[nodiscard]] bool is_idle(const RunConfig& config, const SettingKey& key);

/// The value of `key` as the table shows it.
[[nodiscard]] std::string shown_text(const RunConfig& config, const SettingKey& key);

/// `text` as a TOML string, quotes included: one line whatever it holds.
[[nodiscard]] std::string quoted_text(const std::string& text);

/// 'text' for messages: control characters escaped, so that a message stays one line.
[[nodiscard]] std::string name_text(const std::string& text);

}  // namespace dflash
