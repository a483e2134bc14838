// Whether all readers serve the block by the same rule, and whether the keys have their golden form.
#include "common/base/format.h"
#include "common/hf/export_rules/causality.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

constexpr const char* kRule = "rule inside the block";

/// The two keys of a format, "absent", "true" or "false".
struct CausalityKeys {
  std::optional<bool> first, second;
  bool readable = true;
};

CausalityKeys read_keys(const Json& first, const Json& second) {
  const auto wrong = [](const Json& value) { return !value.is_null() && !value.is_boolean(); };
  return {raw_flag(first), raw_flag(second), !wrong(first) && !wrong(second)};
}

const char* word(std::optional<bool> flag) {
  if (!flag) return "absent";
  return *flag ? "true" : "false";
}

/// Of a drafter that all three engines serve alike.
const char* served_by(const Causality& rule, const std::vector<LayerType>& types) {
  if (any_full(types) && rule.full_causal) return "z-lab package, vLLM, SGLang (speculators cannot)";
  if (any_slides(types) && any_full(types) && rule.sliding_causal) return "z-lab package, vLLM, SGLang";
  if (any_slides(types) && !rule.sliding_causal) return "all (SGLang from 0.5.23 on)";
  return "all";
}

void check_zlab(const RawDrafter& drafter, const std::vector<LayerType>& types, RuleList& rules) {
  const CausalityKeys keys = read_keys(raw_member(drafter.config, "is_causal"), raw_member(drafter.nested(), "causal"));
  const std::string have = format("is_causal {}, dflash_config.causal {}", word(keys.first), word(keys.second));
  if (!keys.readable) return rules.fail(kRule, "is_causal or dflash_config.causal is neither true, false nor null");
  const Causality zlab = zlab_causality(keys.first), vllm = vllm_causality(keys.first, keys.second);
  const std::string served = causality_text(zlab, types);
  if (!same_causality(zlab, vllm, types)) {
    return rules.fail(kRule, format("{}: z-lab package and SGLang serve it {}, vLLM {}; write one value in both places",
                                    have, served, causality_text(vllm, types)));
  }
  if (keys.first && keys.second && *keys.first != *keys.second) {
    return rules.fail(kRule, format("{}: all serve it {}, against the inner key; write the value it was trained with "
                                    "in both places",
                                    have, served));
  }
  const bool golden = keys.first.has_value() == keys.second.has_value() && (keys.first || any_slides(types));
  const std::string found = format("{}; served rightly by {}", served, served_by(zlab, types));
  if (golden) return rules.pass(kRule, found);
  rules.note(kRule, format("{} ({}: write both keys)", found, have));
}

std::string speculators_complaint(const CausalityKeys& keys, const Causality& own, const Causality& vllm,
                                  const std::vector<LayerType>& types) {
  const std::string differ =
      format("is_causal {}, sliding_window_non_causal {}: speculators computes it {}, vLLM serves it {}",
             word(keys.first), word(keys.second), causality_text(own, types), causality_text(vllm, types));
  if (any_slides(types) && any_full(types) && own.sliding_causal) {
    return differ + "; this format cannot say it (vLLM gives all layers one rule), use the z-lab format";
  }
  if (any_full(types) && keys.first == true) {
    return differ + "; causal full layers cannot be said in this format, use the z-lab format";
  }
  if (any_full(types)) {
    return differ + " and loses acceptance without an error; write sliding_window_non_causal true, is_causal false";
  }
  return differ + "; causal: sliding_window_non_causal false and no is_causal; both ways: true, is_causal false";
}

void check_speculators(const RawDrafter& drafter, const std::vector<LayerType>& types, RuleList& rules) {
  const CausalityKeys keys =
      read_keys(raw_member(drafter.body(), "is_causal"), raw_member(drafter.config, "sliding_window_non_causal"));
  if (!keys.readable)
    return rules.fail(kRule, "is_causal or sliding_window_non_causal is neither true, false nor null");
  const Causality own = speculators_causality(keys.second);
  const Causality vllm = vllm_translated_causality(keys.first, keys.second);
  if (!same_causality(own, vllm, types)) return rules.fail(kRule, speculators_complaint(keys, own, vllm, types));
  const bool golden = (keys.first == false && keys.second == true) || (!keys.first && keys.second == false);
  const std::string served = causality_text(own, types);
  if (golden) return rules.pass(kRule, format("{}; served rightly by speculators and vLLM", served));
  rules.note(kRule, format("{}; served rightly, but by luck: is_causal {}, sliding_window_non_causal {}", served,
                           word(keys.first), word(keys.second)));
}

}  // namespace

void check_causality(const RawDrafter& drafter, RuleList& rules) {
  const auto types = layer_types_of(drafter);
  if (!types) return rules.note(kRule, "cannot be looked at without the kinds of the layers");
  if (drafter.speculators) {
    check_speculators(drafter, *types, rules);
  } else {
    check_zlab(drafter, *types, rules);
  }
}

}  // namespace dflash
