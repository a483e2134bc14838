#include "common/model/block_attention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace dflash {
namespace {

/// [n*B, heads, d] -> [n_kv, n, g*B, d] (g = 1 for keys and values): the rows of a block and of a head group side by side.
at::Tensor by_block(const at::Tensor& x, int64_t block_count, int64_t kv_heads) {
  const int64_t group = x.size(1) / kv_heads, block_size = x.size(0) / block_count;
  return x.view({block_count, block_size, kv_heads, group, x.size(2)})
      .permute({2, 0, 3, 1, 4})
      .reshape({kv_heads, block_count, group * block_size, x.size(2)});
}

at::Tensor group_attention(const at::Tensor& q, const KeyValue& context, const KeyValue& block, const AnchorGroup& group) {
  const int64_t count = group.block_count, block_size = q.size(0) / count, width = q.size(2);
  const int64_t kv_heads = block.keys.size(1), heads = q.size(1), rows = heads / kv_heads * block_size;
  const int64_t context_rows = group.context_end - group.context_start;
  const at::Tensor queries = by_block(q * (1.0 / std::sqrt(static_cast<double>(width))), count, kv_heads);
  const at::Tensor own_keys = by_block(block.keys, count, kv_heads), own_values = by_block(block.values, count, kv_heads);
  const at::Tensor context_keys = context.keys.transpose(0, 1), context_values = context.values.transpose(0, 1);

  const at::Tensor flat_queries = queries.view({kv_heads, count * rows, width});
  const at::Tensor prefix_scores = at::bmm(flat_queries, context_keys.transpose(1, 2))
                                       .view({kv_heads, count, rows, context_rows})
                                       .masked_fill(group.hidden.unsqueeze(1), -std::numeric_limits<double>::infinity());
  const at::Tensor own_scores = at::matmul(queries, own_keys.transpose(2, 3));
  const at::Tensor weights = at::softmax(at::cat({prefix_scores, own_scores}, -1), -1);

  const at::Tensor prefix_weights = weights.narrow(-1, 0, context_rows).reshape({kv_heads, count * rows, context_rows});
  const at::Tensor from_prefix = at::bmm(prefix_weights, context_values).view({kv_heads, count, rows, width});
  const at::Tensor out = from_prefix + at::matmul(weights.narrow(-1, context_rows, block_size), own_values);
  return out.view({kv_heads, count, heads / kv_heads, block_size, width})
      .permute({1, 3, 0, 2, 4})
      .reshape({count * block_size, heads * width});
}

}  // namespace

at::Tensor block_attention(const at::Tensor& q, const KeyValue& context, const KeyValue& block, const BlockBatch& blocks) {
  const int64_t block_size = blocks.block_ids.size(1);
  std::vector<at::Tensor> parts;
  for (const AnchorGroup& group : blocks.groups) {
    const int64_t first = group.first_block * block_size, rows = group.block_count * block_size;
    const int64_t context_rows = group.context_end - group.context_start;
    const KeyValue prefix{context.keys.narrow(0, group.context_start, context_rows),
                          context.values.narrow(0, group.context_start, context_rows)};
    const KeyValue own{block.keys.narrow(0, first, rows), block.values.narrow(0, first, rows)};
    parts.push_back(group_attention(q.narrow(0, first, rows), prefix, own, group));
  }
  return at::cat(parts, 0);
}

}  // namespace dflash
