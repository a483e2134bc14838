// The worked example of dflash-semantics 9.1: twelve tokens, two documents, blocks of four.

#include "common/model/block_batch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace dflash {
namespace {

constexpr int64_t kMask = 99;

HiddenStateBatch example() {
  HiddenStateBatch batch;
  batch.input_ids = at::tensor({11, 12, 13, 14, 15, 16, 17, 21, 22, 23, 24, 25}, at::kInt);
  batch.document_ids = at::tensor({0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, at::kInt);
  batch.position_ids = at::tensor({0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4}, at::kInt);
  batch.loss_mask = at::tensor({0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1}, at::kByte);
  return batch;
}

BlockBatch blocks_of(std::vector<int64_t> anchors) {
  return make_block_batch(example(), anchors, {4, kMask, 4.0});
}

at::Tensor rows(std::vector<int64_t> values) {
  return at::tensor(values, at::kLong).view({-1, 4});
}

TEST(BlockBatch, InputsOfTheWorkedExample) {
  const BlockBatch blocks = blocks_of({3, 5, 9});
  EXPECT_TRUE(blocks.block_ids.equal(rows({14, 99, 99, 99, 16, 99, 99, 99, 23, 99, 99, 99})));
  EXPECT_TRUE(blocks.position_ids.equal(rows({3, 4, 5, 6, 5, 6, 7, 8, 2, 3, 4, 5})));
}

TEST(BlockBatch, LabelsStopAtTheDocumentAndAtThePack) {
  const BlockBatch blocks = blocks_of({3, 5, 9});
  EXPECT_TRUE(blocks.labels.equal(rows({14, 15, 16, 17, 16, 17, -100, -100, 23, 24, 25, -100})));
  EXPECT_TRUE(blocks.supervised.to(at::kLong).equal(rows({0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0})));
}

TEST(BlockBatch, WeightsDecayAndSumAsComputedByHand) {
  const BlockBatch blocks = blocks_of({3, 5, 9});
  EXPECT_NEAR(blocks.weights[0][1].item<double>(), 1.0, 1e-6);
  EXPECT_NEAR(blocks.weights[0][2].item<double>(), 0.778801, 1e-6);
  EXPECT_NEAR(blocks.weights[0][3].item<double>(), 0.606531, 1e-6);
  EXPECT_NEAR(blocks.weights.sum().item<double>(), 5.164133, 1e-5);
}

TEST(BlockBatch, NoDecayWeighsAllSupervisedPositionsAlike) {
  const BlockBatch blocks = make_block_batch(example(), std::vector<int64_t>{3}, {4, kMask, 0.0});
  EXPECT_EQ(blocks.weights.sum().item<double>(), 3.0);
}

TEST(BlockBatch, MasksAreMadeForTheKindsOfLayersThereAre) {
  BlockRules rules{4, kMask, 4.0};
  rules.sliding_layers = BlockPattern{6, true};
  const BlockBatch both = make_block_batch(example(), std::vector<int64_t>{3, 9}, rules);
  EXPECT_EQ(both.full.groups.size(), 2U);
  EXPECT_EQ(both.sliding.groups.size(), 2U);
  EXPECT_FALSE(both.full.hidden_in_block.defined());
  EXPECT_TRUE(both.sliding.hidden_in_block.defined());
  rules.full_layers.reset();
  EXPECT_TRUE(make_block_batch(example(), std::vector<int64_t>{3, 9}, rules).full.groups.empty());
}

TEST(BlockBatch, DocumentsAreFoundByTheirIdsWhateverThePositions) {
  HiddenStateBatch batch = example();
  batch.position_ids += 100;
  const BlockBatch blocks = make_block_batch(batch, std::vector<int64_t>{3, 9}, {4, kMask, 4.0});
  EXPECT_EQ(blocks.full.groups[0].context_start, 0);
  EXPECT_EQ(blocks.full.groups[1].context_start, 7);
  EXPECT_EQ(blocks.position_ids[1][3].item<int64_t>(), 105);
}

}  // namespace
}  // namespace dflash
