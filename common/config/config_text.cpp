// RunConfig as text: the table for a person, and the TOML that reads back to it.
#include <algorithm>

#include "common/base/format.h"
#include "common/config/key_text.h"
#include "common/config/run_config.h"
#include "common/config/schema.h"

namespace dflash {
namespace {

using google::protobuf::Message;

const Message& section_of(const RunConfig& config, const SettingKey& key) {
  return config.GetReflection()->GetMessage(config, key.section);
}

/// A default section has no field set, so that its values are the schema's.
bool is_changed(const RunConfig& config, const SettingKey& key) {
  const RunConfig defaults;
  return value_text(section_of(config, key), *key.field) != value_text(section_of(defaults, key), *key.field);
}

}  // namespace

std::string config_table(const RunConfig& config) {
  size_t width = 0;
  for (const SettingKey& key : setting_keys()) width = std::max(width, key.name().size());
  std::string table;
  for (const SettingKey& key : setting_keys()) {
    table += format("{} {:<{}}  {}\n", is_changed(config, key) ? '*' : ' ', key.name(), width, shown_text(config, key));
  }
  return table;
}

std::string config_toml(const RunConfig& config) {
  std::string text;
  std::string section;
  for (const SettingKey& key : setting_keys()) {
    if (key.section->name() != section) {
      text += format("{}[{}]\n", section.empty() ? "" : "\n", key.section->name());
      section = key.section->name();
    }
    if (is_idle(config, key)) continue;
    text += format("{} = {}\n", key.field->name(), value_text(section_of(config, key), *key.field));
  }
  return text;
}

}  // namespace dflash
