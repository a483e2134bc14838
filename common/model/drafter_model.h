// DrafterModel: the DFlash network (z-lab layout, dflash-semantics 2.1), each layer full or sliding, causal in the
// block or not, as its config says.
//
// Training: context = context_features(captured); hidden = forward(context, pack positions, blocks, embedded block
// ids). Decoding: forward_cached with the features of newly verified tokens. Logits are hidden times the target's head.
//
// Threading: as the parameters: one thread trains; const decoding from any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <vector>

#include "common/hf/drafter_config.h"
#include "common/model/block_attention.h"
#include "common/model/block_batch.h"
#include "common/model/drafter_parameters.h"
#include "common/model/kv_cache.h"
#include "common/model/layers.h"
#include "common/model/rotary.h"

namespace dflash {

/// New rows of one sequence while decoding: features first, then the block.
struct DraftRows {
  KvCache* cache = nullptr;
  int64_t context_rows = 0;
  int64_t block_rows = 0;
};

class DrafterModel {
 public:
  /// `take` gives the parameters by name, in the shapes of drafter_tensor_shapes: leaves of DrafterParameters, or
  /// tensors of a file.
  DrafterModel(const DrafterConfig& config, const TakeTensor& take);
  [[nodiscard]] static DrafterModel over(const DrafterConfig& config, const DrafterParameters& parameters);

  /// RMSNorm(captured fc^T): captured [T, K*H] -> [T, H], once for all layers.
  [[nodiscard]] at::Tensor context_features(const at::Tensor& captured) const;

  /// context [T, H], position_ids [T] of the pack (on the host, as those of the blocks), block_embeddings [A*B, H] ->
  /// hidden [A*B, H] after the final norm.
  [[nodiscard]] at::Tensor forward(const at::Tensor& context, const at::Tensor& position_ids, const BlockBatch& blocks,
                                   const at::Tensor& block_embeddings) const;

  /// One block of each sequence: appends its part of `context` (features of the tokens behind its cache), then its part
  /// of `block_embeddings`, to its cache; returns the hidden states of all block rows. The caller crops the block's
  /// rows off.
  [[nodiscard]] at::Tensor forward_cached(const at::Tensor& context, const at::Tensor& block_embeddings,
                                          std::span<const DraftRows> sequences) const;

  [[nodiscard]] KvCache make_cache(int64_t capacity) const;
  [[nodiscard]] const DrafterConfig& config() const { return config_; }

 private:
  using Attend =
      std::function<at::Tensor(int64_t layer, const at::Tensor& q, const KeyValue& context, const KeyValue& block)>;
  [[nodiscard]] at::Tensor run(at::Tensor x, const at::Tensor& context, const at::Tensor& block_positions,
                               const at::Tensor& context_positions, const Attend& attend) const;
  [[nodiscard]] KeyValue key_value(const at::Tensor& rows, const DecoderLayer& layer, const RotaryTable& table) const;

  DrafterConfig config_;
  Rotary rotary_;
  Linear fc_;
  at::Tensor hidden_norm_;
  std::vector<DecoderLayer> layers_;
  at::Tensor norm_;
};

}  // namespace dflash
