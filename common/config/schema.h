// The keys of run.toml, as proto/run_config.proto has them: one SettingKey for each field of each section.
//
// Threading: any thread; everything here is constant.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>
#include <vector>

namespace dflash {

struct SettingKey {
  const google::protobuf::FieldDescriptor* section = nullptr;  // in RunConfig
  const google::protobuf::FieldDescriptor* field = nullptr;    // in the section's message

  /// "train.lr"
  [[nodiscard]] std::string name() const { return section->name() + "." + field->name(); }
};

/// All keys, in the schema's order.
[[nodiscard]] const std::vector<SettingKey>& setting_keys();

/// Null when there is no such section.
[[nodiscard]] const google::protobuf::FieldDescriptor* find_section(const std::string& name);

/// The comment above the key in the schema, as one line.
[[nodiscard]] std::string key_comment(const SettingKey& key);

}  // namespace dflash
