// What each reader makes of the causality keys: which layers are causal inside the block (golden/export/README.md,
// "How each reader decides").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/hf/layer_types.h"

namespace dflash {

/// Whether a position sees only the earlier ones of its block, by kind of layer.
struct Causality {
  bool sliding_causal = false;
  bool full_causal = false;
};

/// z-lab package and SGLang: the top-level is_causal, else by kind of layer.
[[nodiscard]] Causality zlab_causality(std::optional<bool> is_causal);
/// vLLM: the top-level is_causal, else dflash_config.causal, else by kind.
[[nodiscard]] Causality vllm_causality(std::optional<bool> is_causal, std::optional<bool> causal);
/// vLLM from a speculators file, which it translates first.
[[nodiscard]] Causality vllm_translated_causality(std::optional<bool> is_causal, std::optional<bool> non_causal);
/// speculators' own network: sliding_window_non_causal rules the sliding layers, full ones are always both ways.
[[nodiscard]] Causality speculators_causality(std::optional<bool> non_causal);

/// Whether two rules do the same to layers of these kinds.
[[nodiscard]] bool same_causality(const Causality& a, const Causality& b, const std::vector<LayerType>& types);

/// "both ways", "causal", "sliding causal, full both ways" or the other way round.
[[nodiscard]] std::string causality_text(const Causality& rule, const std::vector<LayerType>& types);

}  // namespace dflash
