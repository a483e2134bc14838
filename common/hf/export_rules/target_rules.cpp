// Whether a drafter fits one target.
#include <algorithm>

#include "common/base/format.h"
#include "common/hf/export_rules/export_rules.h"
#include "common/hf/export_rules/raw_values.h"

namespace dflash {
namespace {

void check_equal(const RawDrafter& drafter, const char* key, int64_t target, const char* harm, RuleList& rules) {
  const Json& own = raw_member(drafter.body(), key);
  rules.check(format("target: {}", key), own == target, format("{}", target),
              format("{} here, {} there: {}", shown(own), target, harm));
}

void check_depth(const RawDrafter& drafter, const ModelConfig& target, RuleList& rules) {
  const int64_t layers = target.num_hidden_layers;
  if (!drafter.speculators) {
    const Json& depth = raw_member(drafter.config, "num_target_layers");
    rules.check("target: depth", depth == layers, format("{} layers", layers),
                format("num_target_layers is {}, the target has {}: SGLang warns; is it another target's drafter?",
                       shown(depth), layers));
  }
  const auto ids = layer_ids_of(drafter);
  if (!ids) return;
  rules.check("target: layer ids", std::ranges::max(*ids) < layers - 1, "below its last layer",
              format("0-based [{}] for {} layers: the last and those beyond it are served wrongly or not at all",
                     join(*ids, ", "), layers));
}

}  // namespace

std::vector<RuleResult> check_against_target(const RawDrafter& drafter, const ModelConfig& target) {
  RuleList rules;
  check_equal(drafter, "vocab_size", target.vocab_size, "vLLM switches to its path for reduced vocabularies in silence",
              rules);
  check_equal(drafter, "hidden_size", target.hidden_size, "embedding and head are the target's, readers refuse fc",
              rules);
  check_depth(drafter, target, rules);
  if (const auto mask = mask_token_of(drafter)) {
    rules.check("target: mask token", 0 <= *mask && *mask < target.vocab_size, format("{}", *mask),
                format("{} is no row of the target's embedding of {}", *mask, target.vocab_size));
  }
  if (const auto positions = size_of(drafter, "max_position_embeddings")) {
    rules.check("target: positions", *positions >= target.max_position_embeddings, format("{}", *positions),
                format("{} here, {} there: SGLang refuses longer texts; copy the target's", *positions,
                       target.max_position_embeddings));
  }
  return rules.results();
}

}  // namespace dflash
