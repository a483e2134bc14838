#include "common/model/attention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace dflash {
namespace {

/// [T, n_kv, d] -> [1, n_h, T, d]: every key/value head repeated for its group of query heads.
at::Tensor spread_heads(const at::Tensor& x, int64_t group) {
  const at::Tensor by_head = x.transpose(0, 1);
  return (group == 1 ? by_head : by_head.repeat_interleave(group, 0)).unsqueeze(0);
}

at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const int64_t group = q.size(1) / k.size(1);
  const at::Tensor out = at::scaled_dot_product_attention(q.transpose(0, 1).unsqueeze(0), spread_heads(k, group),
                                                          spread_heads(v, group), {}, 0.0, /*is_causal=*/true);
  return out.squeeze(0).transpose(0, 1).flatten(1);
}

}  // namespace

at::Tensor document_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              std::span<const int32_t> document_starts) {
  at::Tensor out = at::zeros({q.size(0), q.size(1) * q.size(2)}, q.options());
  for (size_t i = 0; i + 1 < document_starts.size(); ++i) {
    const int64_t start = document_starts[i], length = document_starts[i + 1] - start;
    out.narrow(0, start, length)
        .copy_(causal_attention(q.narrow(0, start, length), k.narrow(0, start, length), v.narrow(0, start, length)));
  }
  return out;
}

at::Tensor cached_attention(const at::Tensor& q, const KvCache::Layer& cache, BlockRule rule) {
  const int64_t rows = q.size(0), heads = q.size(1), width = q.size(2);
  const int64_t kv_heads = cache.keys.size(0), group = heads / kv_heads, total = cache.keys.size(1);
  if (rule == BlockRule::causal && rows == total) {  // a prompt: no score matrix of its length squared
    return causal_attention(q, cache.keys.transpose(0, 1), cache.values.transpose(0, 1));
  }
  // [n_kv, g*n, d]: the queries of a group share their keys, so nothing is repeated.
  const at::Tensor queries =
      q.view({rows, kv_heads, group, width}).permute({1, 2, 0, 3}).reshape({kv_heads, group * rows, width});
  at::Tensor scores = at::bmm(queries, cache.keys.transpose(1, 2)).mul_(1.0 / std::sqrt(static_cast<double>(width)));
  if (rule == BlockRule::causal && rows > 1) {
    const at::Tensor hidden =
        at::full({rows, rows}, -std::numeric_limits<double>::infinity(), scores.options()).triu_(1);
    scores.view({kv_heads, group, rows, total}).narrow(3, total - rows, rows).add_(hidden);
  }
  const at::Tensor weights = at::softmax(scores, -1, at::kFloat).to(q.scalar_type());
  const at::Tensor out = at::bmm(weights, cache.values).view({kv_heads, group, rows, width});
  return out.permute({2, 0, 1, 3}).reshape({rows, heads * width});
}

}  // namespace dflash
