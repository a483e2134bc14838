#include "common/config/suggestions.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(Suggestions, EditDistanceByHand) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("trian", "train"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("step", "steps"), 1u);
  EXPECT_EQ(edit_distance("ab", "cd"), 2u);
}

TEST(Suggestions, TheNearestWins) {
  EXPECT_EQ(nearest_name("lrr", {"steps", "lr", "epochs"}), "lr");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), {"steps", "lr"}).empty(), false);
}

TEST(Suggestions, TheSameWordInAnotherSectionWins) {
  EXPECT_EQ(suggest_key("train", "hs_queue_depth"), "pipeline.hs_queue_depth");
  EXPECT_EQ(suggest_key("train", "threads"), "target.threads");
  EXPECT_EQ(suggest_key("drafter", "thread"), "drafter.threads");
  EXPECT_EQ(suggest_key("", "metrics_evry"), "log.metrics_every");
}

}  // namespace
}  // namespace dflash
