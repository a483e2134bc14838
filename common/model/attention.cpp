#include "common/model/attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dflash {
namespace {

/// [T, n_kv, d] -> [1, n_h, T, d]: every key/value head repeated for its group of query heads.
at::Tensor spread_heads(const at::Tensor& x, int64_t group) {
  const at::Tensor by_head = x.transpose(0, 1);
  return (group == 1 ? by_head : by_head.repeat_interleave(group, 0)).unsqueeze(0);
}

/// On a GPU the kernels are named that hold no score matrix, where LibTorch's own choice might be the one that does.
/// q, k, v [1, n_h, T, d].
at::Tensor fused_causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  constexpr int64_t kWidthStep = 8;  // widths of heads that both kernels take
  if (!q.is_cuda() || q.size(-1) % kWidthStep != 0) {
    return at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);
  }
  if (q.scalar_type() == at::kFloat) {
    return std::get<0>(at::_scaled_dot_product_efficient_attention(q, k, v, {}, /*compute_log_sumexp=*/false, 0.0,
                                                                   /*is_causal=*/true));
  }
  return std::get<0>(at::_scaled_dot_product_flash_attention(q, k, v, 0.0, /*is_causal=*/true));
}

at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const int64_t group = q.size(1) / k.size(1);
  const at::Tensor out =
      fused_causal_attention(q.transpose(0, 1).unsqueeze(0), spread_heads(k, group), spread_heads(v, group));
  return out.squeeze(0).transpose(0, 1).flatten(1);
}

/// [rows, columns] bool, true = visible, for rows that stand `ahead` of the columns: row i is column ahead + i.
at::Tensor visible_columns(int64_t rows, int64_t columns, int64_t ahead, const CacheRule& rule, at::Device device) {
  const at::TensorOptions whole = at::TensorOptions(device).dtype(at::kLong);
  const at::Tensor distance = at::arange(ahead, ahead + rows, whole).unsqueeze(1) - at::arange(columns, whole);
  at::Tensor visible = at::ones({rows, columns}, whole.dtype(at::kBool));
  if (rule.causal) visible.bitwise_and_(distance >= 0);
  if (rule.window > 0) visible.bitwise_and_(distance.abs() < rule.window);
  return visible;
}

/// Row by row of a long document only the window before it is read: stretches of rows share one mask of their width.
at::Tensor windowed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, int64_t window) {
  constexpr int64_t kStretchRows = 256;
  const int64_t rows = q.size(0), group = q.size(1) / k.size(1);
  if (rows <= window) return causal_attention(q, k, v);
  std::vector<at::Tensor> parts;
  for (int64_t first = 0; first < rows; first += kStretchRows) {
    const int64_t count = std::min(kStretchRows, rows - first), start = std::max<int64_t>(0, first - window + 1);
    const int64_t columns = first + count - start;
    const at::Tensor visible = visible_columns(count, columns, first - start, {true, window}, q.device());
    const at::Tensor out = at::scaled_dot_product_attention(q.narrow(0, first, count).transpose(0, 1).unsqueeze(0),
                                                            spread_heads(k.narrow(0, start, columns), group),
                                                            spread_heads(v.narrow(0, start, columns), group), visible);
    parts.push_back(out.squeeze(0).transpose(0, 1).flatten(1));
  }
  return at::cat(parts);
}

at::Tensor prompt_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, int64_t window) {
  return window > 0 ? windowed_attention(q, k, v, window) : causal_attention(q, k, v);
}

}  // namespace

at::Tensor document_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              std::span<const int32_t> document_starts, int64_t window) {
  at::Tensor out = at::zeros({q.size(0), q.size(1) * q.size(2)}, q.options());
  for (size_t i = 0; i + 1 < document_starts.size(); ++i) {
    const int64_t start = document_starts[i], length = document_starts[i + 1] - start;
    out.narrow(0, start, length)
        .copy_(prompt_attention(q.narrow(0, start, length), k.narrow(0, start, length), v.narrow(0, start, length),
                                window));
  }
  return out;
}

at::Tensor cached_attention(const at::Tensor& q, const KvCache::Layer& cache, const CacheRule& rule) {
  const int64_t rows = q.size(0), heads = q.size(1), width = q.size(2);
  const int64_t kv_heads = cache.keys.size(0), group = heads / kv_heads;
  if (rule.causal && rows == cache.keys.size(1)) {  // a prompt: no score matrix of its length squared
    return prompt_attention(q, cache.keys.transpose(0, 1), cache.values.transpose(0, 1), rule.window);
  }
  const int64_t total = cache.keys.size(1), before = total - rows;
  const int64_t start = rule.window > 0 ? std::max<int64_t>(0, before - rule.window + 1) : 0;  // what any row sees
  const int64_t columns = total - start;
  const at::Tensor keys = cache.keys.narrow(1, start, columns), values = cache.values.narrow(1, start, columns);
  // [n_kv, g*n, d]: the queries of a group share their keys, so nothing is repeated.
  const at::Tensor queries =
      q.view({rows, kv_heads, group, width}).permute({1, 2, 0, 3}).reshape({kv_heads, group * rows, width});
  at::Tensor scores = at::bmm(queries, keys.transpose(1, 2)).mul_(1.0 / std::sqrt(static_cast<double>(width)));
  if ((rule.causal && rows > 1) || rule.window > 0) {
    const at::Tensor hidden = visible_columns(rows, columns, before - start, rule, q.device()).logical_not_();
    scores.view({kv_heads, group, rows, columns}).masked_fill_(hidden, -std::numeric_limits<double>::infinity());
  }
  const at::Tensor weights = at::softmax(scores, -1, at::kFloat).to(q.scalar_type());
  const at::Tensor out = at::bmm(weights, values).view({kv_heads, group, rows, width});
  return out.permute({2, 0, 1, 3}).reshape({rows, heads * width});
}

}  // namespace dflash
