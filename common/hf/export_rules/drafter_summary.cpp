#include "common/hf/export_rules/drafter_summary.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/export_rules/causality.h"
#include "common/hf/export_rules/raw_values.h"

namespace dflash {
namespace {

bool has_tensor(const RawDrafter& drafter, const std::string& part) {
  for (const auto& [name, tensor] : drafter.weights.tensors) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

bool has_key(const RawDrafter& drafter, const char* key) {
  return !raw_member(drafter.config, key).is_null() || !raw_member(drafter.nested(), key).is_null();
}

/// The rule of the z-lab package, or of speculators.
Causality causality_of(const RawDrafter& drafter) {
  if (drafter.speculators) {
    return speculators_causality(raw_flag(raw_member(drafter.config, "sliding_window_non_causal")));
  }
  return zlab_causality(raw_flag(raw_member(drafter.config, "is_causal")));
}

/// dflash-semantics-2, 2.1.
std::string family_of(const RawDrafter& drafter) {
  const std::string projector = raw_text(raw_member(drafter.nested(), "projector_type"));
  if (projector == "domino") return "Domino (projector_type)";
  if (projector == "dspark") return "DSpark (projector_type)";
  if (has_key(drafter, "conv_kernel_size")) return "DFlash 2 (conv_kernel_size)";
  if (has_tensor(drafter, "candidate_selector.")) return "DFlash 2 (candidate_selector tensors)";
  if (has_key(drafter, "markov_rank") && has_key(drafter, "enable_confidence_head")) return "DSpark (markov_rank)";
  const auto types = layer_types_of(drafter);
  const bool nested_causal = raw_flag(raw_member(drafter.nested(), "causal")).value_or(false);
  const bool causal = causality_of(drafter).full_causal || nested_causal;
  return types && !any_slides(*types) && causal ? "JetSpec (full layers, causal in the block)" : "DFlash";
}

void add_layers(const RawDrafter& drafter, std::vector<SummaryFact>& facts) {
  const auto types = layer_types_of(drafter);
  if (!types) return;
  facts.push_back(layers_fact(*types, size_of(drafter, "sliding_window").value_or(0)));
  const std::string rule = causality_text(causality_of(drafter), *types);
  facts.push_back({"in_block", rule, rule});
}

void add_rope(const RawDrafter& drafter, std::vector<SummaryFact>& facts) {
  std::string text;
  try {
    text = describe_rope(read_rope(ConfigFields(drafter.body(), "config.json"),
                                   size_of(drafter, "max_position_embeddings").value_or(1)));
  } catch (const Error& error) {
    text = format("not one we compute: {}", error.what());
  }
  facts.push_back({"rope", text, text});
}

void add_captured(const RawDrafter& drafter, const std::vector<int64_t>& ids, std::vector<SummaryFact>& facts) {
  facts.push_back({"captured_layers", ids, format("{} (0-based: the output of that layer)", join(ids, ", "))});
  const auto hidden = size_of(drafter, "hidden_size");
  const auto dtype = dtype_of(drafter);
  if (hidden && dtype) facts.push_back(bytes_per_token_fact(std::ssize(ids), *hidden, *dtype));
}

}  // namespace

std::vector<SummaryFact> summarize_drafter(const RawDrafter& drafter) {
  const char* format_name = drafter.speculators ? "speculators" : "z-lab";
  const std::string family = family_of(drafter);
  std::vector<SummaryFact> facts{{"format", format_name, format_name}, {"family", family, family}};
  const auto sizes = shape_config(drafter);
  const auto vocabulary = size_of(drafter, "vocab_size"), positions = size_of(drafter, "max_position_embeddings");
  if (sizes && vocabulary && positions) facts.push_back(sizes_fact(layer_sizes(*sizes), *vocabulary, *positions));
  add_layers(drafter, facts);
  facts.push_back(parameters_fact(drafter.weights));
  if (const auto dtype = dtype_of(drafter)) facts.push_back(dtype_fact(*dtype, drafter.weights));
  add_rope(drafter, facts);
  if (const auto block = block_size_of(drafter)) facts.push_back({"block_size", *block, format("{}", *block)});
  if (const auto mask = mask_token_of(drafter)) facts.push_back({"mask_token_id", *mask, format("{}", *mask)});
  if (const auto ids = layer_ids_of(drafter)) add_captured(drafter, *ids, facts);
  return facts;
}

}  // namespace dflash
