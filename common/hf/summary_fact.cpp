#include "common/hf/summary_fact.h"

#include <algorithm>

#include "common/base/bytes_text.h"
#include "common/base/format.h"
#include "common/hf/compute_dtype.h"
#include "common/hf/config_fields.h"

namespace dflash {

SummaryFact sizes_fact(const LayerSizes& sizes, int64_t vocab_size, int64_t max_position_embeddings) {
  return {"sizes",
          {{"hidden_size", sizes.hidden_size},
           {"intermediate_size", sizes.intermediate_size},
           {"num_attention_heads", sizes.num_attention_heads},
           {"num_key_value_heads", sizes.num_key_value_heads},
           {"head_dim", sizes.head_dim},
           {"vocab_size", vocab_size},
           {"max_position_embeddings", max_position_embeddings}},
          format("hidden {}, inner {}, {} heads ({} key/value) of {}, vocabulary {}, {} positions", sizes.hidden_size,
                 sizes.intermediate_size, sizes.num_attention_heads, sizes.num_key_value_heads, sizes.head_dim,
                 vocab_size, max_position_embeddings)};
}

SummaryFact layers_fact(const std::vector<LayerType>& types, int64_t window) {
  const auto slide = std::ranges::count(types, LayerType::sliding_attention);
  const auto full = std::ssize(types) - slide;
  std::string text = format("{}, all full", full);
  if (slide > 0) text = format("{}: {} full, {} slide over {} rows", types.size(), full, slide, window);
  return {"layers", {{"count", types.size()}, {"full", full}, {"sliding", slide}, {"window", window}}, text};
}

SummaryFact parameters_fact(const WeightHeaders& weights) {
  const int64_t count = weights.parameter_count(), bytes = weights.bytes();
  const size_t tensors = weights.tensors.size(), files = weights.metadata_of.size();
  return {"parameters",
          {{"count", count}, {"bytes", bytes}, {"tensors", tensors}, {"files", files}},
          format("{} ({:.2f} M), {}, {} tensors in {} file{}", count, static_cast<double>(count) / 1e6,
                 bytes_text(bytes), tensors, files, files == 1 ? "" : "s")};
}

SummaryFact dtype_fact(DType config, const WeightHeaders& weights) {
  const std::string name = config_dtype_name(config), stored = stored_dtypes_text(weights);
  return {"dtype", {{"config", name}, {"stored", stored}}, format("{}; stored: {}", name, stored)};
}

SummaryFact bytes_per_token_fact(int64_t captured_count, int64_t hidden_size, DType stored) {
  constexpr int64_t kPackTokens = 4096;
  const DType computed = default_compute_dtype(stored);
  const int64_t bytes = captured_count * hidden_size * static_cast<int64_t>(dtype_bytes(computed));
  return {"bytes_per_token",
          {{"token", bytes}, {"pack_of_4096", bytes * kPackTokens}},
          format("{} ({} layers of {} {}); {} in a pack of {}", bytes, captured_count, hidden_size,
                 config_dtype_name(computed), bytes_text(bytes * kPackTokens), kPackTokens)};
}

}  // namespace dflash
