// The drafter against golden/drafter 01 to 05 and 14: block inputs, forward, labels, weights, losses, every gradient.

#include <gtest/gtest.h>

#include "common/model/head_loss.h"
#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

class DrafterGolden : public ::testing::TestWithParam<const char*> {
 protected:
  DrafterGolden()
      : golden_(GetParam()), anchors_(golden_.anchor_rows(golden_.io.at("anchors"), golden_.io.at("anchor_keep"))) {
    blocks_ = make_block_batch(golden_.batch, anchors_, golden_.rules);
    kept_ = golden_.io.at("anchor_keep").to(at::kBool).nonzero().squeeze(-1);
  }
  /// A golden tensor of blocks, without the unused ones.
  at::Tensor kept(const std::string& name) { return golden_.io.at(name).index_select(0, kept_); }
  at::Tensor forward() {
    const DrafterModel drafter = DrafterModel::over(golden_.config, golden_.parameters);
    const at::Tensor embeddings = golden_.ends.embedding.index_select(0, blocks_.block_ids.flatten());
    context_ = drafter.context_features(golden_.batch.captured);
    return drafter.forward(context_, golden_.batch.position_ids, blocks_, embeddings);
  }
  double tolerance(const char* name) { return golden_.description["tolerance_rel_to_max"][name].get<double>(); }

  test::GoldenDrafter golden_;
  std::vector<int64_t> anchors_;
  BlockBatch blocks_;
  at::Tensor kept_, context_;
};

TEST_P(DrafterGolden, BlocksLabelsAndWeights) {
  EXPECT_TRUE(blocks_.block_ids.equal(kept("block_ids")));
  EXPECT_TRUE(blocks_.position_ids.equal(kept("block_position_ids")));
  EXPECT_TRUE(blocks_.labels.equal(kept("labels")));
  EXPECT_TRUE(blocks_.supervised.to(at::kByte).equal(kept("supervised")));
  EXPECT_LE(test::error_relative_to_max(blocks_.weights, kept("weights")), 1e-6);
}

TEST_P(DrafterGolden, Forward) {
  const at::Tensor hidden = forward().view({blocks_.block_count, golden_.config.block_size, -1});
  EXPECT_LE(test::error_relative_to_max(context_, golden_.io.at("fc_out")), tolerance("fc_out"));
  EXPECT_LE(test::error_relative_to_max(hidden, kept("block_hidden")), tolerance("block_hidden"));
  EXPECT_LE(test::error_relative_to_max(at::linear(hidden, golden_.ends.head), kept("logits")), tolerance("logits"));
}

TEST_P(DrafterGolden, LossesAndGradients) {
  const at::Tensor rows = blocks_.supervised.flatten().nonzero().squeeze(-1);
  const at::Tensor labels = blocks_.labels.flatten().index_select(0, rows);
  const at::Tensor weights = blocks_.weights.flatten().index_select(0, rows);
  golden_.parameters.zero_gradients();
  const HeadLoss loss = head_loss(forward().index_select(0, rows), golden_.ends.head, labels, weights, true);
  (loss.sum / weights.sum()).backward();

  EXPECT_LE(test::error_relative_to_max(loss.losses, kept("loss").flatten().index_select(0, rows)), tolerance("loss"));
  EXPECT_LE(test::error_relative_to_max(loss.sum, golden_.io.at("loss_sum")), tolerance("loss_sum"));
  EXPECT_LE(test::error_relative_to_max(weights.sum(), golden_.io.at("weight_sum")), tolerance("weight_sum"));
  EXPECT_LE(test::error_relative_to_max(loss.sum / weights.sum(), golden_.io.at("mean_loss")), tolerance("mean_loss"));
  for (const auto& [name, gradient] : golden_.parameters.views_of(golden_.parameters.gradients())) {
    EXPECT_LE(test::error_relative_to_max(gradient, golden_.io.at("grad." + name)), tolerance("grad")) << name;
  }
}

/// The same inputs under another rule: sliding layers that see all of their block.
TEST(DrafterGoldenRules, SlidingLayersBothWaysInTheBlock) {
  for (const char* name : {"03_mixed_sliding", "04_all_sliding"}) {
    test::GoldenDrafter golden(name);
    golden.config.is_causal = false;
    const BlockRules rules = block_rules(golden.config, golden.rules.decay_gamma);
    const BlockBatch blocks = make_block_batch(golden.batch, golden.anchor_rows(golden.io.at("anchors")), rules);
    const DrafterModel drafter = DrafterModel::over(golden.config, golden.parameters);
    const at::Tensor embeddings = golden.ends.embedding.index_select(0, blocks.block_ids.flatten());
    const at::Tensor hidden =
        drafter.forward(drafter.context_features(golden.batch.captured), golden.batch.position_ids, blocks, embeddings);
    const at::Tensor expected = golden.io.at("bidirectional.block_hidden");
    EXPECT_LE(test::error_relative_to_max(hidden.view(expected.sizes()), expected), 1e-5) << name;
    EXPECT_GT(test::error_relative_to_max(hidden.view(expected.sizes()), golden.io.at("block_hidden")), 0.1) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DrafterGolden,
                         ::testing::Values("01_basic", "02_packed", "03_mixed_sliding", "04_all_sliding",
                                           "05_gqa_head_dim", "14_attention_bias"));

}  // namespace
}  // namespace dflash
