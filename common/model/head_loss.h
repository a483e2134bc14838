// The frozen head and the hard cross-entropy in one: no logits of all rows ever exist, and nothing is computed twice.
#pragma once

#include <ATen/core/Tensor.h>

namespace dflash {

/// Unweighted results of every row; `sum` alone carries gradient.
struct HeadLoss {
  at::Tensor sum;      // [] fp32: sum of weight * loss, with gradient to `hidden`
  at::Tensor losses;   // [N] fp32: logsumexp(z) - z[label]
  at::Tensor correct;  // [N] bool: argmax z == label; undefined unless asked for
};

/// hidden [N, H], head [V, H] (frozen), labels [N] int64 in [0, V), weights [N] fp32 (dflash-semantics 3.8, 3.11).
///
/// Works through chunks of rows: logits, loss, and at once their gradient with respect to `hidden`, which is kept
/// ([N, H]) and scaled in the backward pass. Memory: one chunk of logits.
[[nodiscard]] HeadLoss head_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                                 const at::Tensor& weights, bool want_correct);

}  // namespace dflash
