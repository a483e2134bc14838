// The groups of rules that make up check_drafter; each stands in a file of its own. For this folder alone.
#pragma once

#include "common/hf/export_rules/raw_drafter.h"
#include "common/hf/export_rules/rule_list.h"

namespace dflash {

void check_markers(const RawDrafter& drafter, RuleList& rules);     // format, architecture, foreign keys
void check_sizes(const RawDrafter& drafter, RuleList& rules);       // sizes, positions
void check_rope(const RawDrafter& drafter, RuleList& rules);        // base and kind of the rotation
void check_windows(const RawDrafter& drafter, RuleList& rules);     // kinds of layers, windows
void check_causality(const RawDrafter& drafter, RuleList& rules);   // causality inside the block
void check_block(const RawDrafter& drafter, RuleList& rules);       // block size, draft length, mask token
void check_layer_ids(const RawDrafter& drafter, RuleList& rules);   // captured layers, depth of the target
void check_vocabulary(const RawDrafter& drafter, RuleList& rules);  // whole or reduced
void check_verifier(const RawDrafter& drafter, RuleList& rules);    // where the target is found
void check_files(const RawDrafter& drafter, RuleList& rules);       // weight files
void check_tensors(const RawDrafter& drafter, RuleList& rules);     // names and shapes
void check_dtypes(const RawDrafter& drafter, RuleList& rules);      // config against tensors

}  // namespace dflash
