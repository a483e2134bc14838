// Settings of run.toml that say how conversations are prepared, where nothing is left to prepare.
//
// Threading: functions only.
#pragma once

#include <string>

#include "common/hf/model_config.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Error{config} naming a setting of preparing, other than its default, that would have no effect: with data.files of
/// token ids, or with data.prepared that was prepared otherwise. `config` behind expand_data_files. Errors as
/// plan_preparing.
void check_data_settings(const RunConfig& config, const ModelConfig& target);

/// A line when conversations were made token ids by another tokenizer.json than the target's: then the ids mean
/// something else to it, unless the two have the same vocabulary. Empty else, and where nobody can know.
[[nodiscard]] std::string tokenizer_notice(const RunConfig& config);

}  // namespace dflash
