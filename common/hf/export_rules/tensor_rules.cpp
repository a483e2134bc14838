// The tensors: the drafter's own, by their plain names, in the shapes that the sizes ask for, and no others.
#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"
#include "common/hf/names_text.h"
#include "common/hf/tensor_differences.h"

namespace dflash {
namespace {

constexpr const char* kFusion = "fc.weight";
constexpr std::string_view kPrefix = "model.";

bool is_vocabulary_map(const std::string& name) {
  return name == "d2t" || name == "t2d";  // of check_vocabulary
}

/// What only a target should hold.
bool is_of_target(const std::string& name) {
  constexpr std::array names{"embed_tokens.weight", "lm_head.weight", "verifier_lm_head.weight",
                             "verifier_norm.weight"};
  return std::ranges::find(names, name) != names.end();
}

/// Without the prefix, as SGLang, the z-lab package and speculators read the names.
std::map<std::string, StoredTensor> plain_names(const WeightHeaders& weights) {
  std::map<std::string, StoredTensor> plain;
  for (const auto& [name, tensor] : weights.tensors) {
    plain.emplace(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name, tensor);
  }
  return plain;
}

void check_prefix(const WeightHeaders& weights, RuleList& rules) {
  std::vector<std::string> prefixed;
  for (const auto& [name, tensor] : weights.tensors) {
    if (name.starts_with(kPrefix)) prefixed.push_back(name);
  }
  rules.check(
      "no model. prefix", prefixed.empty(), "none",
      format("{}: vLLM refuses; beside a plain name one of the two is taken in silence; rename", names_text(prefixed)));
}

void check_target_tensors(const RawDrafter& drafter, const std::map<std::string, StoredTensor>& tensors,
                          RuleList& rules) {
  std::vector<std::string> found;
  for (const auto& [name, tensor] : tensors) {
    const bool reduced_head = name == "lm_head.weight" && drafter.speculators && has_reduced_vocabulary(drafter);
    if (is_of_target(name) && !reduced_head) found.push_back(name);
  }
  rules.check("no embedding, head or target norm", found.empty(), "none",
              format("{}: vLLM keeps such a tensor unless it is bit for bit the target's, others drop or overwrite it; "
                     "remove it",
                     names_text(found)));
}

void check_fusion(const RawDrafter& drafter, const DrafterConfig& sizes,
                  const std::map<std::string, StoredTensor>& tensors, RuleList& rules) {
  const auto place = tensors.find(kFusion);
  if (place == tensors.end()) return;
  const auto ids = layer_ids_of(drafter);
  if (!ids) return rules.note("fc width", "cannot be looked at without the layer ids");
  const Json& top = raw_member(drafter.config, "target_hidden_size");
  const Json& width = top.is_null() ? raw_member(drafter.nested(), "target_hidden_size") : top;
  if (!width.is_null() && width != sizes.hidden_size) {
    return rules.fail("fc width", format("target_hidden_size is {}, hidden_size {}: vLLM wants the former times the "
                                         "captured layers, SGLang and the z-lab package the latter; no file fits both",
                                         shown(width), sizes.hidden_size));
  }
  const std::vector<int64_t> expected{sizes.hidden_size, std::ssize(*ids) * sizes.hidden_size};
  rules.check("fc width", place->second.shape == expected, shape_text(expected),
              format("fc.weight is {}, expected {} ({} captured layers): vLLM, SGLang and the z-lab package refuse",
                     shape_text(place->second.shape), shape_text(expected), ids->size()));
}

void check_names_and_shapes(const DrafterConfig& sizes, const std::map<std::string, StoredTensor>& tensors,
                            RuleList& rules) {
  const auto expected = drafter_tensor_shapes(sizes);
  TensorDifferences found = compare_tensors(expected, tensors);
  std::erase_if(found.surplus, [](const auto& name) { return is_of_target(name) || is_vocabulary_map(name); });
  std::erase_if(found.misshapen, [](const auto& text) { return text.starts_with(kFusion); });
  rules.check("tensors present", found.missing.empty(), format("{}", expected.size()),
              format("missing {}: vLLM and SGLang serve uninitialised memory, the others random values",
                     names_text(found.missing)));
  rules.check("no unknown tensors", found.surplus.empty(), "none",
              format("{}: vLLM refuses, or drops a bias in silence as the others drop all; is it another network?",
                     names_text(found.surplus)));
  rules.check("tensor shapes", found.misshapen.empty(), "as the sizes ask",
              format("{}: readers refuse; correct the sizes in config.json", names_text(found.misshapen)));
}

}  // namespace

void check_tensors(const RawDrafter& drafter, RuleList& rules) {
  if (drafter.weights.tensors.empty()) return rules.note("tensors present", "no weights to look at");
  const auto tensors = plain_names(drafter.weights);
  check_prefix(drafter.weights, rules);
  check_target_tensors(drafter, tensors, rules);
  const auto sizes = shape_config(drafter);
  if (!sizes) return rules.note("tensors present", "cannot be looked at without the sizes");
  check_names_and_shapes(*sizes, tensors, rules);
  check_fusion(drafter, *sizes, tensors, rules);
}

}  // namespace dflash
