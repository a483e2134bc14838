// Settings of run.toml that say how conversations are prepared, where nothing is left to prepare.
//
// Threading: functions only.
#pragma once

#include "common/hf/model_config.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Error{config} naming a setting of preparing, other than its default, that would have no effect: with data.files of
/// token ids, or with data.prepared that was prepared otherwise. `config` behind expand_data_files. Errors as
/// plan_preparing.
void check_data_settings(const RunConfig& config, const ModelConfig& target);

}  // namespace dflash
