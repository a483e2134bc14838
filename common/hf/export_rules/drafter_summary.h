// What `dflash inspect drafter` tells of a drafter's folder before the rules.
#pragma once

#include <vector>

#include "common/hf/export_rules/raw_drafter.h"
#include "common/hf/summary_fact.h"

namespace dflash {

/// What cannot be read is left out; the rules say why.
[[nodiscard]] std::vector<SummaryFact> summarize_drafter(const RawDrafter& drafter);

}  // namespace dflash
