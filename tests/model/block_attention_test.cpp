// Block attention against slow obvious code: one query row at a time, over the keys it may see.

#include "common/model/block_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/model/block_batch.h"
#include "tests/support/golden.h"

namespace dflash {
namespace {

constexpr int64_t kHeads = 4, kKvHeads = 2, kWidth = 6, kBlock = 3;

/// A pack of `lengths`, every token supervised.
HiddenStateBatch pack_of(const std::vector<int64_t>& lengths) {
  std::vector<at::Tensor> documents, positions;
  for (size_t d = 0; d < lengths.size(); ++d) {
    documents.push_back(at::full({lengths[d]}, static_cast<int64_t>(d), at::kInt));
    positions.push_back(at::arange(lengths[d], at::kInt));
  }
  HiddenStateBatch batch;
  batch.document_ids = at::cat(documents);
  batch.position_ids = at::cat(positions);
  batch.input_ids = at::zeros_like(batch.document_ids);
  batch.loss_mask = at::ones_like(batch.document_ids, at::kByte);
  return batch;
}

/// Position k of block n, which starts at `anchor`.
at::Tensor slow_row(const at::Tensor& q, const KeyValue& context, const KeyValue& block, const HiddenStateBatch& batch,
                    int64_t anchor, int64_t n, int64_t position, int64_t head, const BlockPattern& pattern) {
  std::vector<at::Tensor> keys, values;
  for (int64_t t = 0; t < anchor; ++t) {
    if (batch.document_ids[t].item<int>() != batch.document_ids[anchor].item<int>()) continue;
    if (pattern.window > 0 && anchor + position - t >= pattern.window) continue;
    keys.push_back(context.keys[t][head / (kHeads / kKvHeads)]);
    values.push_back(context.values[t][head / (kHeads / kKvHeads)]);
  }
  for (int64_t k = 0; k < (pattern.causal ? position + 1 : kBlock); ++k) {
    keys.push_back(block.keys[n * kBlock + k][head / (kHeads / kKvHeads)]);
    values.push_back(block.values[n * kBlock + k][head / (kHeads / kKvHeads)]);
  }
  const at::Tensor scores = at::mv(at::stack(keys), q) / std::sqrt(static_cast<double>(kWidth));
  return at::mv(at::stack(values).t(), at::softmax(scores, 0));
}

void compare(const std::vector<int64_t>& lengths, const std::vector<int64_t>& anchors, const BlockPattern& pattern) {
  const HiddenStateBatch batch = pack_of(lengths);
  const auto rows = static_cast<int64_t>(anchors.size()) * kBlock, context_rows = batch.input_ids.size(0);
  at::manual_seed(1);
  const auto options = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor q = at::randn({rows, kHeads, kWidth}, options);
  const KeyValue context{at::randn({context_rows, kKvHeads, kWidth}, options),
                         at::randn({context_rows, kKvHeads, kWidth}, options)};
  const KeyValue block{at::randn({rows, kKvHeads, kWidth}, options), at::randn({rows, kKvHeads, kWidth}, options)};
  const BlockBatch blocks = make_block_batch(batch, anchors, {kBlock, 0, 0, pattern});
  const at::Tensor ours = block_attention(q, context, block, blocks.full).view({rows, kHeads, kWidth});
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t n = row / kBlock, k = row % kBlock;
    for (int64_t head = 0; head < kHeads; ++head) {
      const at::Tensor expected =
          slow_row(q[row][head], context, block, batch, anchors[static_cast<size_t>(n)], n, k, head, pattern);
      EXPECT_LE((ours[row][head] - expected).abs().max().item<double>(), 1e-12) << "row " << row << " head " << head;
    }
  }
}

const std::vector<BlockPattern> kPatterns{{0, false}, {0, true}, {3, true}, {5, false}, {100, true}};

TEST(BlockAttention, EqualsSlowCodeOnDocumentsOfAPack) {
  for (const BlockPattern& pattern : kPatterns) compare({7, 9, 5}, {0, 3, 6, 7, 8, 15, 16, 20}, pattern);
}

TEST(BlockAttention, EqualsSlowCodeOnALongDocument) {
  for (const BlockPattern& pattern : kPatterns) compare({1000}, {2, 500, 501, 999}, pattern);
}

}  // namespace
}  // namespace dflash
