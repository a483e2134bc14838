#include "common/hf/export_rules/export_rules.h"

#include "common/hf/export_rules/rule_groups.h"

namespace dflash {

std::vector<RuleResult> check_drafter(const RawDrafter& drafter) {
  RuleList rules;
  for (const auto check :
       {check_markers, check_sizes, check_rope, check_windows, check_causality, check_block, check_layer_ids,
        check_vocabulary, check_verifier, check_files, check_tensors, check_dtypes}) {
    check(drafter, rules);
  }
  return rules.results();
}

}  // namespace dflash
