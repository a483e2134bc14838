// The rules that make a drafter's folder one that z-lab's package, vLLM, SGLang and speculators serve as it was
// trained: golden/export/README.md, as far as a folder shows them. For our folders and other people's, in both formats.
//
//   const RawDrafter drafter = read_raw_drafter(path);
//   for (const RuleResult& result : check_drafter(drafter)) ...
//
// Which rules are listed depends on the format and, for windows, on the layers. A rule whose subject cannot be read is
// a note or left out: the one that says why it cannot be read fails.
#pragma once

#include <vector>

#include "common/hf/export_rules/raw_drafter.h"
#include "common/hf/export_rules/rule_list.h"
#include "common/hf/model_config.h"

namespace dflash {

[[nodiscard]] std::vector<RuleResult> check_drafter(const RawDrafter& drafter);

/// Whether the drafter fits this target: vocabulary, width, depth, mask token, positions.
[[nodiscard]] std::vector<RuleResult> check_against_target(const RawDrafter& drafter, const ModelConfig& target);

}  // namespace dflash
