// Which settings differ between a run and its resumption, as far as they alter what is computed.
#pragma once

#include <string>
#include <vector>

#include "proto/run_config.pb.h"

namespace dflash {

/// Values as the table shows them: TOML, or "-" for a key that counts for nothing beside the others.
struct SettingChange {
  std::string key;  // "train.lr"
  std::string before;
  std::string now;
};

/// In the schema's order; without the keys that the schema marks as free_on_resume. Empty when the run may go on.
[[nodiscard]] std::vector<SettingChange> setting_changes(const RunConfig& before, const RunConfig& now);

}  // namespace dflash
