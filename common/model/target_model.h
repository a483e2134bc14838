// TargetModel: the frozen dense decoder whose hidden states a drafter learns from.
//
//   TargetModel target(config, weights, at::kFloat, deepest_layer + 1);
//   target.forward_packed(pack, [&](int64_t layer, const at::Tensor& hidden) { ... });
//
// Hidden state of layer l: the residual stream after it, [T, H], also for the last layer (no final norm). What a family
// has of its own (norms, biases, windows, rope) stands in ModelConfig. Threading: const calls from any thread; no
// autograd is recorded.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/hf/model_config.h"
#include "common/hf/model_weights.h"
#include "common/model/kv_cache.h"
#include "common/model/layers.h"
#include "common/model/rotary.h"

namespace dflash {

/// Embedding and head of a target: what a drafter borrows, loaded once and frozen.
struct TargetEnds {
  at::Tensor embedding;  // [V, H]
  at::Tensor head;       // [V, H]; the embedding itself when they are tied or the file holds no head
};
[[nodiscard]] TargetEnds load_target_ends(const ModelConfig& config, ModelWeights& weights, at::ScalarType type,
                                          at::Device device = at::kCPU);

struct PackedInput {
  at::Tensor input_ids;                      // [T], on the host or where the model lies
  at::Tensor position_ids;                   // [T], restarting at 0 in every document
  std::span<const int32_t> document_starts;  // first row of each document, then the end of the last one
};

using VisitLayer = std::function<void(int64_t layer, const at::Tensor& hidden)>;

class TargetModel {
 public:
  /// Loads the first `layers` decoder layers to `device`, and with all of them also the final norm and the head.
  TargetModel(const ModelConfig& config, ModelWeights& weights, at::ScalarType type, int64_t layers,
              at::Device device = at::kCPU);

  /// Runs the loaded layers over a pack; documents attend only within themselves. `visit` sees every layer's output and
  /// must copy what it keeps.
  void forward_packed(const PackedInput& input, const VisitLayer& visit) const;

  /// Appends tokens to several sequences at once: `input_ids` holds the new rows of all sequences one behind the other,
  /// each sequence goes on at position cache.length(). Returns the last layer's output of all rows. Sequences do not
  /// see each other; together they read the weights once. Caches must have one layer for each loaded layer.
  [[nodiscard]] at::Tensor forward_cached(const at::Tensor& input_ids, std::span<const CachedRows> sequences,
                                          const VisitLayer& visit) const;

  /// Final norm, then head: hidden [n, H] of the last layer -> logits [n, V]. Needs all layers.
  [[nodiscard]] at::Tensor final_norm(const at::Tensor& hidden) const;
  [[nodiscard]] at::Tensor logits(const at::Tensor& hidden) const;

  [[nodiscard]] at::Tensor embed(const at::Tensor& input_ids) const;
  [[nodiscard]] const TargetEnds& ends() const { return ends_; }
  [[nodiscard]] KvCache make_cache(int64_t capacity) const;
  [[nodiscard]] int64_t loaded_layers() const { return static_cast<int64_t>(layers_.size()); }

 private:
  using Attend =
      std::function<at::Tensor(int64_t layer, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)>;
  [[nodiscard]] at::Tensor heads(const at::Tensor& x, const Linear& projection, const at::Tensor& norm) const;
  [[nodiscard]] at::Tensor run(const at::Tensor& input_ids, const at::Tensor& position_ids, const Attend& attend,
                               const VisitLayer& visit) const;

  ModelConfig config_;
  at::ScalarType type_;
  Rotary rotary_;
  std::vector<DecoderLayer> layers_;
  TargetEnds ends_;
  at::Tensor norm_;  // final; undefined when not all layers are loaded
};

}  // namespace dflash
