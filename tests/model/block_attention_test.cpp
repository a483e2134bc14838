// Block attention against slow obvious code: one query row at a time, over the keys it may see.

#include "common/model/block_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

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

at::Tensor slow_row(const at::Tensor& q, const KeyValue& context, const KeyValue& block, const HiddenStateBatch& batch,
                    int64_t anchor, int64_t n, int64_t head) {
  std::vector<at::Tensor> keys, values;
  for (int64_t t = 0; t < anchor; ++t) {
    if (batch.document_ids[t].item<int>() != batch.document_ids[anchor].item<int>()) continue;
    keys.push_back(context.keys[t][head / (kHeads / kKvHeads)]);
    values.push_back(context.values[t][head / (kHeads / kKvHeads)]);
  }
  for (int64_t k = 0; k < kBlock; ++k) {
    keys.push_back(block.keys[n * kBlock + k][head / (kHeads / kKvHeads)]);
    values.push_back(block.values[n * kBlock + k][head / (kHeads / kKvHeads)]);
  }
  const at::Tensor scores = at::mv(at::stack(keys), q) / std::sqrt(static_cast<double>(kWidth));
  return at::mv(at::stack(values).t(), at::softmax(scores, 0));
}

void compare(const std::vector<int64_t>& lengths, const std::vector<int64_t>& anchors) {
  const HiddenStateBatch batch = pack_of(lengths);
  const auto rows = static_cast<int64_t>(anchors.size()) * kBlock, context_rows = batch.input_ids.size(0);
  at::manual_seed(1);
  const auto options = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor q = at::randn({rows, kHeads, kWidth}, options);
  const KeyValue context{at::randn({context_rows, kKvHeads, kWidth}, options),
                         at::randn({context_rows, kKvHeads, kWidth}, options)};
  const KeyValue block{at::randn({rows, kKvHeads, kWidth}, options), at::randn({rows, kKvHeads, kWidth}, options)};
  const BlockBatch blocks = make_block_batch(batch, anchors, {kBlock, 0, 0});
  const at::Tensor ours = block_attention(q, context, block, blocks).view({rows, kHeads, kWidth});
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t n = row / kBlock;
    for (int64_t head = 0; head < kHeads; ++head) {
      const at::Tensor expected =
          slow_row(q[row][head], context, block, batch, anchors[static_cast<size_t>(n)], n, head);
      EXPECT_LE((ours[row][head] - expected).abs().max().item<double>(), 1e-12) << "row " << row << " head " << head;
    }
  }
}

TEST(BlockAttention, EqualsSlowCodeOnDocumentsOfAPack) {
  compare({7, 9, 5}, {0, 3, 6, 7, 8, 15, 16, 20});
}

TEST(BlockAttention, ManyBlocksOfALongDocumentAreSplitIntoGroups) {
  std::vector<int64_t> anchors;
  for (int64_t a = 300; a < 1000; a += 5) anchors.push_back(a);  // 140 blocks x 995 rows: more than one group
  const BlockBatch blocks = make_block_batch(pack_of({1000}), anchors, {kBlock, 0, 0});
  EXPECT_GT(blocks.groups.size(), 1U);
  int64_t covered = 0;
  for (const AnchorGroup& group : blocks.groups) {
    EXPECT_EQ(group.first_block, covered);
    covered += group.block_count;
  }
  EXPECT_EQ(covered, blocks.block_count);
  compare({1000}, {2, 500, 501, 999});
}

}  // namespace
}  // namespace dflash
