#include "common/model/block_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <limits>

namespace dflash {
namespace {

/// Sizes that stay the same over all groups of a call.
struct HeadSizes {
  int64_t block_size, kv_heads, group, width;
  [[nodiscard]] int64_t rows() const { return group * block_size; }  // query rows of a block and a key/value head
};

/// [n*B, heads, d] -> [n_kv, n, g*B, d] (g = 1 for keys and values): the rows of a block and of a head group side by
/// side.
at::Tensor by_block(const at::Tensor& x, int64_t block_count, int64_t kv_heads) {
  const int64_t group = x.size(1) / kv_heads, block_size = x.size(0) / block_count;
  return x.view({block_count, block_size, kv_heads, group, x.size(2)})
      .permute({2, 0, 3, 1, 4})
      .reshape({kv_heads, block_count, group * block_size, x.size(2)});
}

/// The inverse: writes [n_kv, n, g*B, d] into rows [n*B, heads, d].
void write_by_row(const at::Tensor& x, const at::Tensor& rows, const HeadSizes& sizes) {
  const int64_t count = x.size(1);
  rows.view({count, sizes.block_size, sizes.kv_heads, sizes.group, sizes.width})
      .copy_(x.view({sizes.kv_heads, count, sizes.group, sizes.block_size, sizes.width}).permute({1, 3, 0, 2, 4}));
}

/// The tensors of one group, laid out for batched products.
struct GroupView {
  at::Tensor queries;                       // [n_kv, n, g*B, d]
  at::Tensor own_keys, own_values;          // [n_kv, n, B, d]
  at::Tensor context_keys, context_values;  // [n_kv, C, d]
};

/// Where a group's rows lie in the tensors of the whole pack.
struct GroupRange {
  int64_t first_row, rows, context_start, context_rows;
  GroupRange(const AnchorGroup& group, int64_t block_size)
      : first_row(group.first_block * block_size),
        rows(group.block_count * block_size),
        context_start(group.context_start),
        context_rows(group.context_end - group.context_start) {}
  [[nodiscard]] at::Tensor block(const at::Tensor& x) const { return x.narrow(0, first_row, rows); }
  [[nodiscard]] at::Tensor context(const at::Tensor& x) const { return x.narrow(0, context_start, context_rows); }
};

GroupView view_group(const at::Tensor& q, const KeyValue& context, const KeyValue& block, const GroupRange& range,
                     int64_t count) {
  const int64_t kv_heads = block.keys.size(1);
  return {by_block(range.block(q), count, kv_heads), by_block(range.block(block.keys), count, kv_heads),
          by_block(range.block(block.values), count, kv_heads), range.context(context.keys).transpose(0, 1),
          range.context(context.values).transpose(0, 1)};
}

/// A product of every key/value head with the group's context: [n_kv, n, rows, a] x [n_kv, a, b] -> [n_kv, n, rows, b].
at::Tensor with_context(const at::Tensor& x, const at::Tensor& context) {
  return at::bmm(x.flatten(1, 2), context).view({x.size(0), x.size(1), x.size(2), context.size(2)});
}

/// scores [n_kv, n, g*B, c], hidden [n or 1, B or 1, c]: what is hidden gets no weight.
void hide(const at::Tensor& scores, const at::Tensor& hidden, const HeadSizes& sizes) {
  const std::vector<int64_t> by_position{scores.size(0), scores.size(1), sizes.group, sizes.block_size, scores.size(3)};
  scores.view(by_position).masked_fill_(hidden.unsqueeze(1), -std::numeric_limits<double>::infinity());
}

/// softmax over the visible prefix and the visible part of the own block, [n_kv, n, g*B, C + B].
at::Tensor group_weights(const GroupView& view, const at::Tensor& hidden, const BlockMask& mask, const HeadSizes& sizes,
                         double scale) {
  const at::Tensor queries = view.queries * scale;
  const at::Tensor prefix = with_context(queries, view.context_keys.transpose(1, 2));
  hide(prefix, hidden, sizes);
  const at::Tensor own = at::matmul(queries, view.own_keys.transpose(2, 3));
  if (mask.hidden_in_block.defined()) hide(own, mask.hidden_in_block.unsqueeze(0), sizes);
  return at::softmax(at::cat({prefix, own}, -1), -1);
}

/// Two parts of the last dimension: over the context, over the own block.
std::pair<at::Tensor, at::Tensor> split_parts(const at::Tensor& x, int64_t context_rows) {
  return {x.narrow(-1, 0, context_rows), x.narrow(-1, context_rows, x.size(-1) - context_rows)};
}

struct Gradients {
  at::Tensor q;
  KeyValue context, block;
};

void group_backward(const GroupView& view, const at::Tensor& weights, const at::Tensor& upstream,
                    const GroupRange& range, const HeadSizes& sizes, double scale, Gradients& gradients) {
  const auto [prefix_weights, own_weights] = split_parts(weights, range.context_rows);
  const at::Tensor prefix_upstream = with_context(upstream, view.context_values.transpose(1, 2));
  const at::Tensor own_upstream = at::matmul(upstream, view.own_values.transpose(2, 3));
  const at::Tensor weights_upstream = at::cat({prefix_upstream, own_upstream}, -1);
  const at::Tensor scores =
      at::_softmax_backward_data(weights_upstream, weights, -1, weights.scalar_type()).mul_(scale);
  const auto [prefix_scores, own_scores] = split_parts(scores, range.context_rows);

  write_by_row(with_context(prefix_scores, view.context_keys) + at::matmul(own_scores, view.own_keys),
               range.block(gradients.q), sizes);
  const HeadSizes key_sizes{sizes.block_size, sizes.kv_heads, 1, sizes.width};
  write_by_row(at::matmul(own_scores.transpose(2, 3), view.queries), range.block(gradients.block.keys), key_sizes);
  write_by_row(at::matmul(own_weights.transpose(2, 3), upstream), range.block(gradients.block.values), key_sizes);
  const auto add_to_context = [&](const at::Tensor& left, const at::Tensor& right, const at::Tensor& sum) {
    range.context(sum).transpose(0, 1).add_(at::bmm(left.flatten(1, 2).transpose(1, 2), right.flatten(1, 2)));
  };
  add_to_context(prefix_scores, view.queries, gradients.context.keys);
  add_to_context(prefix_weights, upstream, gradients.context.values);
}

/// Forward and backward by hand: autograd would fill a gradient of the whole pack for every group's slice of it.
struct BlockAttention : torch::autograd::Function<BlockAttention> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q,
                            const at::Tensor& context_keys, const at::Tensor& context_values,
                            const at::Tensor& block_keys, const at::Tensor& block_values, const BlockMask* mask) {
    const HeadSizes sizes{mask->block_size, block_keys.size(1), q.size(1) / block_keys.size(1), q.size(2)};
    const double scale = 1.0 / std::sqrt(static_cast<double>(sizes.width));
    at::Tensor out = at::empty_like(q);
    torch::autograd::variable_list saved{q, context_keys, context_values, block_keys, block_values};
    for (const AnchorGroup& group : mask->groups) {
      const GroupRange range(group, sizes.block_size);
      const GroupView view =
          view_group(q, {context_keys, context_values}, {block_keys, block_values}, range, group.block_count);
      const at::Tensor weights = group_weights(view, group.hidden, *mask, sizes, scale);
      const auto [prefix_weights, own_weights] = split_parts(weights, range.context_rows);
      write_by_row(with_context(prefix_weights, view.context_values) + at::matmul(own_weights, view.own_values),
                   range.block(out), sizes);
      saved.push_back(weights);
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["mask"] = reinterpret_cast<int64_t>(mask);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    const auto* mask = reinterpret_cast<const BlockMask*>(context->saved_data["mask"].toInt());
    const at::Tensor& q = saved[0];
    const KeyValue prefix{saved[1], saved[2]}, block{saved[3], saved[4]};
    const HeadSizes sizes{mask->block_size, block.keys.size(1), q.size(1) / block.keys.size(1), q.size(2)};
    Gradients gradients{at::empty_like(q),
                        {at::zeros_like(prefix.keys), at::zeros_like(prefix.values)},
                        {at::empty_like(block.keys), at::empty_like(block.values)}};
    const at::Tensor dy = upstream[0].contiguous();
    for (size_t i = 0; i < mask->groups.size(); ++i) {
      const AnchorGroup& group = mask->groups[i];
      const GroupRange range(group, sizes.block_size);
      group_backward(view_group(q, prefix, block, range, group.block_count), saved[5 + i],
                     by_block(range.block(dy), group.block_count, sizes.kv_heads), range, sizes,
                     1.0 / std::sqrt(static_cast<double>(sizes.width)), gradients);
    }
    return {gradients.q,          gradients.context.keys, gradients.context.values,
            gradients.block.keys, gradients.block.values, at::Tensor()};
  }
};

}  // namespace

at::Tensor block_attention(const at::Tensor& q, const KeyValue& context, const KeyValue& block, const BlockMask& mask) {
  return BlockAttention::apply(q.contiguous(), context.keys.contiguous(), context.values.contiguous(),
                               block.keys.contiguous(), block.values.contiguous(), &mask)
      .flatten(1);
}

}  // namespace dflash
