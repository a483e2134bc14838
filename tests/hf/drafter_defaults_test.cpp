// What a drafter gets where nobody says (dflash-semantics 1.5, 3.9).
#include <gtest/gtest.h>

#include <algorithm>

#include "common/hf/drafter_config.h"

namespace dflash {
namespace {

using Ids = std::vector<int64_t>;

TEST(DefaultLayerIds, TheTableOfTheSemantics) {
  EXPECT_EQ(default_layer_ids(36, 5), (Ids{1, 9, 17, 25, 33}));
  EXPECT_EQ(default_layer_ids(28, 5), (Ids{1, 7, 13, 19, 25}));
  EXPECT_EQ(default_layer_ids(32, 5), (Ids{1, 8, 15, 22, 29}));
  EXPECT_EQ(default_layer_ids(64, 5), (Ids{1, 16, 31, 46, 61}));
  EXPECT_EQ(default_layer_ids(40, 5), (Ids{1, 10, 19, 28, 37}));
  EXPECT_EQ(default_layer_ids(24, 5), (Ids{1, 6, 11, 16, 21}));
  EXPECT_EQ(default_layer_ids(16, 5), (Ids{1, 4, 7, 10, 13}));
  EXPECT_EQ(default_layer_ids(48, 5), (Ids{1, 12, 23, 34, 45}));
  EXPECT_EQ(default_layer_ids(36, 3), (Ids{1, 17, 33}));
  EXPECT_EQ(default_layer_ids(36, 1), Ids{18});
}

TEST(DefaultLayerIds, HalvesGoToTheEvenNumber) {
  EXPECT_EQ(default_layer_ids(30, 5), (Ids{1, 8, 14, 20, 27}));  // 7.5, 14, 20.5
}

/// The rule in its own words, for one number of captured layers.
bool works(int64_t num_target_layers, int64_t captured_count) {
  const Ids ids = default_layer_ids(num_target_layers, captured_count);
  return ids.front() >= 0 && ids.back() <= num_target_layers - 2 &&
         std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

TEST(MostCapturedLayers, IsTheLargestThatWorks) {
  for (int64_t layers = 1; layers <= 100; ++layers) {
    int64_t most = 0;
    for (int64_t count = 1; count <= layers + 5; ++count) {
      if (works(layers, count)) most = count;
    }
    EXPECT_EQ(most_captured_layers(layers), most) << layers;
  }
}

TEST(DefaultDecayGamma, ThePapersConstantsAndInBetween) {
  EXPECT_EQ(default_decay_gamma(16), 7);
  EXPECT_EQ(default_decay_gamma(10), 5);
  EXPECT_EQ(default_decay_gamma(8), 4);
  EXPECT_EQ(default_decay_gamma(7), 4);
  EXPECT_DOUBLE_EQ(default_decay_gamma(4), 1.8);  // 7 * 4 / 16 = 1.75, rounded up
  EXPECT_DOUBLE_EQ(default_decay_gamma(12), 5.3);
  EXPECT_DOUBLE_EQ(default_decay_gamma(32), 14);
}

}  // namespace
}  // namespace dflash
