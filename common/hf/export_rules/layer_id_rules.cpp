// The captured layers of the target: written, ascending, none twice, within the target but not its last.
#include <algorithm>

#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

std::optional<int64_t> depth_of(const RawDrafter& drafter) {
  const auto depth = raw_integer(raw_member(drafter.config, "num_target_layers"));
  return depth && *depth >= 1 ? depth : std::nullopt;
}

void check_written(const RawDrafter& drafter, RuleList& rules) {
  const Json& top = raw_member(drafter.config, drafter.speculators ? "aux_hidden_state_layer_ids" : "target_layer_ids");
  const auto ids = layer_ids_of(drafter);
  if (drafter.speculators) {
    return rules.check("layer ids written", ids.has_value(), shown(top),
                       format("aux_hidden_state_layer_ids is {}: speculators refuses; write the ids + 1", shown(top)));
  }
  const Json& inside = raw_member(drafter.nested(), "target_layer_ids");
  const bool only_there = !inside.is_null() && (top.is_null() || top == inside);
  rules.check("layer ids written", ids && only_there, shown(inside),
              format("dflash_config.target_layer_ids is {} (top level: {}): vLLM looks for other keys, SGLang and the "
                     "z-lab package spread ids evenly, in silence; write the ids there",
                     shown(inside), shown(top)));
}

void check_order(const std::vector<int64_t>& ids, RuleList& rules) {
  rules.check("layer ids ascend", std::ranges::is_sorted(ids), "yes",
              format("[{}]: vLLM sorts them, SGLang takes them in layer order, the z-lab package as given: fc meets "
                     "other columns; sort ids and columns of fc",
                     join(ids, ", ")));
  std::vector<int64_t> sorted = ids;
  std::ranges::sort(sorted);
  rules.check("no layer id twice", std::ranges::adjacent_find(sorted) == sorted.end(), "none",
              format("[{}]: vLLM and SGLang capture a layer once and fail at the first forward", join(ids, ", ")));
}

/// Ids below the first layer are outside whatever the depth.
void check_range(const RawDrafter& drafter, const std::vector<int64_t>& ids, RuleList& rules) {
  const auto depth = depth_of(drafter);
  const auto [least, most] = std::ranges::minmax(ids);
  rules.check("layer ids within the target", least >= 0 && (drafter.speculators || !depth || most < *depth),
              drafter.speculators || !depth ? "none below the first layer" : format("below {}", *depth),
              format("0-based [{}] for a target of {} layers: SGLang and the z-lab package refuse, vLLM fails at the "
                     "first forward",
                     join(ids, ", "), depth ? format("{}", *depth) : "?"));
  if (drafter.speculators || !depth) return;
  rules.check("last layer not captured", std::ranges::find(ids, *depth - 1) == ids.end(), "not among the ids",
              format("{} is the target's last layer: vLLM feeds the state before the final norm, the z-lab package the "
                     "one after it, SGLang never collects it; train without it",
                     *depth - 1));
}

}  // namespace

void check_layer_ids(const RawDrafter& drafter, RuleList& rules) {
  check_written(drafter, rules);
  if (const auto ids = layer_ids_of(drafter)) {
    check_order(*ids, rules);
    check_range(drafter, *ids, rules);
  }
  const Json& top = raw_member(drafter.config, "eagle_aux_hidden_state_layer_ids");
  const Json& ids = top.is_null() ? raw_member(drafter.nested(), "eagle_aux_hidden_state_layer_ids") : top;
  rules.check("no eagle layer ids", ids.is_null(), "none",
              format("eagle_aux_hidden_state_layer_ids is {}: vLLM takes it before all others and does not shift it; "
                     "remove the key",
                     shown(ids)));
  if (drafter.speculators) return;
  const Json& depth = raw_member(drafter.config, "num_target_layers");
  rules.check("target depth", depth_of(drafter).has_value(), shown(depth),
              format("num_target_layers at the top level is {}: the z-lab package refuses without it; write the "
                     "target's number of layers",
                     shown(depth)));
}

}  // namespace dflash
