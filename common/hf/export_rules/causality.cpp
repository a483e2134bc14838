#include "common/hf/export_rules/causality.h"

namespace dflash {
namespace {

constexpr Causality kByKind{.sliding_causal = true, .full_causal = false};

Causality all_layers(bool causal) {
  return {causal, causal};
}

}  // namespace

Causality zlab_causality(std::optional<bool> is_causal) {
  return is_causal ? all_layers(*is_causal) : kByKind;
}

Causality vllm_causality(std::optional<bool> is_causal, std::optional<bool> causal) {
  return zlab_causality(is_causal ? is_causal : causal);
}

Causality vllm_translated_causality(std::optional<bool> is_causal, std::optional<bool> non_causal) {
  return vllm_causality(is_causal, !non_causal.value_or(true));
}

Causality speculators_causality(std::optional<bool> non_causal) {
  return {.sliding_causal = !non_causal.value_or(false), .full_causal = false};
}

bool same_causality(const Causality& a, const Causality& b, const std::vector<LayerType>& types) {
  return (!any_slides(types) || a.sliding_causal == b.sliding_causal) &&
         (!any_full(types) || a.full_causal == b.full_causal);
}

std::string causality_text(const Causality& rule, const std::vector<LayerType>& types) {
  const bool first = any_full(types) ? rule.full_causal : rule.sliding_causal;
  const char* word = first ? "causal" : "both ways";
  if (same_causality(rule, all_layers(first), types)) return word;
  return rule.sliding_causal ? "sliding causal, full both ways" : "sliding both ways, full causal";
}

}  // namespace dflash
