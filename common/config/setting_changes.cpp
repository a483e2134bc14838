#include "common/config/setting_changes.h"

#include "common/config/key_text.h"
#include "common/config/schema.h"

namespace dflash {

std::vector<SettingChange> setting_changes(const RunConfig& before, const RunConfig& now) {
  std::vector<SettingChange> changes;
  for (const SettingKey& key : setting_keys()) {
    if (key.field->options().GetExtension(free_on_resume)) continue;
    SettingChange change{key.name(), shown_text(before, key), shown_text(now, key)};
    if (change.before != change.now) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace dflash
