// The name under which users find the target (speculators format).
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

/// A repository id is "name" or "owner/name".
bool is_local_path(const std::string& name) {
  return name.starts_with('/') || name.starts_with('.') || name.starts_with('~') ||
         name.find('\\') != std::string::npos || name.find('/') != name.rfind('/');
}

}  // namespace

void check_verifier(const RawDrafter& drafter, RuleList& rules) {
  if (!drafter.speculators) return;
  const Json& name =
      raw_member(raw_member(raw_member(drafter.config, "speculators_config"), "verifier"), "name_or_path");
  const std::string text = raw_text(name);
  std::string complaint = format(
      "verifier.name_or_path is {}: speculators leaves NaN in embedding and head, in silence; "
      "write the target's repository id",
      shown(name));
  if (!text.empty()) {
    complaint = format(
        "{} is a local path: vLLM refuses the folder given alone, speculators must find it where it "
        "reads; write the target's repository id",
        shown(name));
  }
  rules.check("verifier name", !text.empty() && !is_local_path(text), shown(name), complaint);
}

}  // namespace dflash
