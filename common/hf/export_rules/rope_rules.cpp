// The base of the rotation: flat in the z-lab format, inside rope_parameters in the speculators format.
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

void check_flat_theta(const RawDrafter& drafter, const Json& flat, RuleList& rules) {
  std::string where = "nowhere";
  if (!raw_member(raw_member(drafter.config, "rope_parameters"), "rope_theta").is_null()) where = "in rope_parameters";
  if (!raw_member(drafter.nested(), "rope_theta").is_null()) where = "in dflash_config, where nobody looks";
  rules.check("rope_theta written", raw_positive(flat).has_value(), shown(flat),
              flat.is_null() ? format("not at the top level ({}): transformers before 5 takes 10000 in silence; write "
                                      "it there",
                                      where)
                             : format("is {}: expected a number above 0", shown(flat)));
}

void check_nested_theta(const Json& parameters, RuleList& rules) {
  const Json &theta = raw_member(parameters, "rope_theta"), &type = raw_member(parameters, "rope_type");
  rules.check("rope_theta written", raw_positive(theta).has_value() && type.is_string(),
              format("{}, rope_type {}", shown(theta), shown(type)),
              format("rope_parameters of transformer_layer_config has rope_theta {}, rope_type {}: vLLM takes 1000000 "
                     "for an absent one in silence; write both there",
                     shown(theta), shown(type)));
}

}  // namespace

void check_rope(const RawDrafter& drafter, RuleList& rules) {
  const Json& flat = raw_member(drafter.body(), "rope_theta");
  const Json& parameters = raw_member(drafter.body(), "rope_parameters");
  if (drafter.speculators) {
    check_nested_theta(parameters, rules);
  } else {
    check_flat_theta(drafter, flat, rules);
  }
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const Json& inside = raw_member(raw_member(drafter.body(), key), "rope_theta");
    if (flat.is_null() || inside.is_null()) continue;
    rules.check(
        "rope_theta equal", flat == inside, format("{} flat and in {}", shown(flat), key),
        format("{} flat, {} in {}: z-lab's torch path takes the inner one, its MLX path the flat one; make them "
               "equal",
               shown(flat), shown(inside), key));
  }
}

}  // namespace dflash
