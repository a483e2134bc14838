// SummaryFact: one thing that `dflash inspect` tells of a folder, for a person and for a program. Those that a target
// and a drafter share are made here.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/hf/tensor_shapes.h"
#include "common/hf/weight_headers.h"

namespace dflash {

struct SummaryFact {
  std::string name;  // "bytes_per_token"
  Json value;
  std::string text;  // "10240 (5 layers of 1024 bfloat16); 40.0 MiB in a pack of 4096"
};

[[nodiscard]] SummaryFact sizes_fact(const LayerSizes& sizes, int64_t vocab_size, int64_t max_position_embeddings);

/// "4: 2 full, 2 slide over 7 rows".
[[nodiscard]] SummaryFact layers_fact(const std::vector<LayerType>& types, int64_t window);

/// Parameters and bytes of all that is stored.
[[nodiscard]] SummaryFact parameters_fact(const WeightHeaders& weights);

/// The dtype of config.json, and the dtypes of the tensors.
[[nodiscard]] SummaryFact dtype_fact(DType config, const WeightHeaders& weights);

/// The bytes of one token's captured hidden states, and of those of a pack of 4096; float16 is computed as bfloat16.
/// Fits int64 for up to 10000 layers.
[[nodiscard]] SummaryFact bytes_per_token_fact(int64_t captured_count, int64_t hidden_size, DType stored);

}  // namespace dflash
