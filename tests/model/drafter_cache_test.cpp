// The drafter with a cache drafts what the training forward computes for the same block.

#include <gtest/gtest.h>

#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

class DrafterCache : public ::testing::TestWithParam<const char*> {};

TEST_P(DrafterCache, DecodingAnAnchorEqualsTheTrainingForward) {
  test::GoldenDrafter golden(GetParam());
  const DrafterModel drafter = DrafterModel::over(golden.config, golden.parameters);
  const std::vector<int64_t> anchors{6, 9, 23};  // all in the first document
  const BlockBatch blocks = make_block_batch(golden.batch, anchors, golden.rules);
  const at::Tensor embeddings = golden.ends.embedding.index_select(0, blocks.block_ids.flatten());
  const at::Tensor context = drafter.context_features(golden.batch.captured);
  const at::Tensor expected = drafter.forward(context, golden.batch.position_ids, blocks, embeddings).detach();

  const int64_t size = golden.config.block_size;
  KvCache cache = drafter.make_cache(64);
  for (size_t n = 0; n < anchors.size(); ++n) {  // each step brings the features since the last one
    const at::Tensor fresh = context.detach().narrow(0, cache.length(), anchors[n] - cache.length());
    const int64_t row = static_cast<int64_t>(n) * size;
    const DraftRows rows{&cache, fresh.size(0), size};
    const at::Tensor hidden = drafter.forward_cached(fresh, embeddings.narrow(0, row, size), {&rows, 1});
    EXPECT_EQ(cache.length(), anchors[n] + size);
    cache.crop(anchors[n]);
    EXPECT_LE(test::error_relative_to_max(hidden, expected.narrow(0, row, size)), 1e-5) << "anchor " << anchors[n];
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DrafterCache, ::testing::Values("01_basic", "03_mixed_sliding", "04_all_sliding"));

}  // namespace
}  // namespace dflash
