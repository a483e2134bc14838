#include "common/hf/model_summary.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/drafter_config.h"
#include "common/hf/names_text.h"
#include "common/hf/tensor_differences.h"

namespace dflash {
namespace {

SummaryFact parts_fact(const ModelConfig& config) {
  std::vector<std::string> parts;
  if (config.qk_norm) parts.emplace_back("norms on q and k");
  if (config.qkv_bias) parts.emplace_back("bias on q, k, v");
  if (config.o_bias) parts.emplace_back("bias on o");
  if (config.mlp_bias) parts.emplace_back("bias in the MLP");
  return {"parts", parts, parts.empty() ? "no biases, no norms on q and k" : format("{}", join(parts, "; "))};
}

SummaryFact head_fact(const ModelConfig& config, const WeightHeaders& weights) {
  const bool tied = config.tie_word_embeddings || !weights.tensors.contains("lm_head.weight");
  if (config.tie_word_embeddings) return {"tied_head", tied, "tied to the embedding"};
  return {"tied_head", tied, tied ? "no lm_head in the file: the embedding serves" : "its own (lm_head.weight)"};
}

SummaryFact stop_tokens_fact(const std::filesystem::path& folder, const ModelConfig& config,
                             std::vector<std::string>& problems) {
  std::vector<int64_t> tokens = config.eos_token_ids;
  try {
    tokens = read_stop_tokens(folder, config);
  } catch (const Error& error) {
    problems.emplace_back(error.what());
  }
  return {"stop_tokens", tokens, tokens.empty() ? "none" : format("{}", join(tokens, ", "))};
}

int64_t check_captured_count(std::optional<int64_t> asked, int64_t default_count, int64_t layers) {
  const int64_t most = most_captured_layers(layers);
  if (!asked) return std::min(default_count, most);
  if (*asked >= 1 && *asked <= most) return *asked;
  throw Error(ErrorKind::config, format("--captured {}: a target of {} layers allows 1 to {}", *asked, layers, most));
}

void add_captured(const ModelConfig& config, int64_t count, std::vector<SummaryFact>& facts) {
  if (count == 0) {
    facts.push_back({"captured_layers", Json::array(), "none: the target has too few layers"});
    return;
  }
  const auto ids = default_layer_ids(config.num_hidden_layers, count);
  facts.push_back(
      {"captured_layers", ids, format("{} (0-based: the output of that layer; K = {})", join(ids, ", "), count)});
  facts.push_back(bytes_per_token_fact(count, config.hidden_size, config.dtype));
}

/// Loading passes over tensors that it does not ask for.
SummaryFact unused_fact(std::vector<std::string> unused, const std::vector<std::string>& strays) {
  unused.insert(unused.end(), strays.begin(), strays.end());
  return {"unused_tensors", unused, unused.empty() ? "none" : names_text(unused)};
}

/// An embedding also serves as a head that is not there.
void add_tensors(const ModelConfig& config, const WeightHeaders& weights, ModelSummary& summary) {
  if (weights.tensors.empty()) return;
  auto& problems = summary.problems;
  TensorDifferences found = compare_tensors(target_tensor_shapes(config), weights.tensors);
  std::erase(found.missing, "lm_head.weight");
  std::erase(found.surplus, "lm_head.weight");
  if (!found.missing.empty()) problems.push_back(format("tensors are missing: {}", names_text(found.missing)));
  if (!found.misshapen.empty()) problems.push_back(format("shapes are wrong: {}", names_text(found.misshapen)));
  summary.facts.push_back(unused_fact(std::move(found.surplus), weights.strays));
}

}  // namespace

ModelSummary summarize_model(const std::filesystem::path& folder, std::optional<int64_t> captured_count,
                             int64_t default_count) {
  const ModelConfig config = read_model_config(folder);
  const WeightHeaders weights = read_weight_headers(folder);
  const int64_t captured = check_captured_count(captured_count, default_count, config.num_hidden_layers);
  ModelSummary summary{{}, weights.problems};
  summary.facts = {{"family", config.model_type, config.model_type},
                   sizes_fact(layer_sizes(config), config.vocab_size, config.max_position_embeddings),
                   layers_fact(config.layer_types, config.sliding_window),
                   parts_fact(config),
                   parameters_fact(weights),
                   dtype_fact(config.dtype, weights),
                   head_fact(config, weights),
                   {"rope", describe_rope(config.rope), describe_rope(config.rope)},
                   stop_tokens_fact(folder, config, summary.problems)};
  add_captured(config, captured, summary.facts);
  add_tensors(config, weights, summary);
  return summary;
}

}  // namespace dflash
