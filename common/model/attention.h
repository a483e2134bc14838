// Grouped-query attention in its two inference forms. Key/value head j serves query heads j*g .. j*g + g-1; the scale
// is d^-0.5 with d the width of a head; softmax in fp32.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "common/model/kv_cache.h"

namespace dflash {

/// Causal attention inside each document of a pack, document by document: no T x T mask.
///   q [T, n_h, d], k and v [T, n_kv, d]; document_starts: first row of each document, then the end of the last one;
///   window: rows a row sees at most, its own included, 0 for all before it. Returns [T, n_h*d]; rows behind the last
///   document are zero.
[[nodiscard]] at::Tensor document_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                            std::span<const int32_t> document_starts, int64_t window);

/// What the newest rows see of a cache that holds them as its last ones.
struct CacheRule {
  bool causal = true;  // else each of them sees all of them
  int64_t window = 0;  // row i sees j only if |i - j| < window; 0: no such limit
};

/// Attention of the newest n rows over a cache that already holds them as its last rows: q [n, n_h, d] -> [n, n_h*d].
[[nodiscard]] at::Tensor cached_attention(const at::Tensor& q, const KvCache::Layer& cache, const CacheRule& rule);

}  // namespace dflash
