// A run of `dflash generate`: answers for all rows, as far as it gets.
#pragma once

#include "deploy/model_cli/generate_result.h"
#include "deploy/model_cli/generate_settings.h"

namespace dflash {

/// Reads the prompts, answers them on all threads, appends to the output; shows progress on standard error. Error as
/// its parts; what was finished before is written.
[[nodiscard]] GenerateResult run_generate(const GenerateSettings& settings);

}  // namespace dflash
