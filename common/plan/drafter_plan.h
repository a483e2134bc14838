// The drafter's sizes: what the settings leave at 0 is the target's.
#pragma once

#include "common/hf/drafter_config.h"
#include "common/hf/model_config.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Error{config} naming the key: layers that cannot be captured, heads that do not divide, a mask token that cannot be
/// one.
[[nodiscard]] DrafterConfig plan_drafter(const DrafterSection& settings, const ModelConfig& target);

}  // namespace dflash
