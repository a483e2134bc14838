// Cut or drop, and what must be left to train on.
#include "common/data/prepare/length_rules.h"

#include <gtest/gtest.h>

#include "common/data/rows/bad_row.h"

namespace dflash {
namespace {

PreparedRow row_of(const std::vector<uint8_t>& mask) {
  PreparedRow row;
  row.loss_mask = mask;
  for (size_t i = 0; i < mask.size(); ++i) row.input_ids.push_back(static_cast<int32_t>(10 + i));
  return row;
}

PrepareSettings limits(int64_t max_tokens, int64_t min_supervised) {
  PrepareSettings settings;
  settings.max_tokens = max_tokens;
  settings.min_supervised_tokens = min_supervised;
  return settings;
}

DropReason reason_of(PreparedRow row, const PrepareSettings& settings) {
  try {
    apply_length_rules(row, settings);
  } catch (const BadRow& bad) {
    return bad.reason();
  }
  ADD_FAILURE() << "the row was kept";
  return DropReason::bad_json;
}

TEST(LengthRules, ALongRowIsCutAndCountedBehindTheCut) {
  PreparedRow row = row_of({0, 1, 1, 1, 1});
  apply_length_rules(row, limits(4, 3));
  EXPECT_TRUE(row.cut);
  EXPECT_EQ(row.input_ids, (std::vector<int32_t>{10, 11, 12, 13}));
  EXPECT_EQ(row.loss_mask.size(), 4U);
  EXPECT_EQ(row.supervised, 3);
  EXPECT_EQ(reason_of(row_of({0, 1, 1, 1, 1}), limits(4, 4)), DropReason::too_few_supervised);
}

TEST(LengthRules, ARowOfJustTheLimitIsWhole) {
  PreparedRow row = row_of({0, 1, 1, 1});
  apply_length_rules(row, limits(4, 3));
  EXPECT_FALSE(row.cut);
  PrepareSettings settings = limits(4, 0);
  settings.too_long = TooLong::drop;
  apply_length_rules(row, settings);
  EXPECT_EQ(reason_of(row_of({1, 1, 1, 1, 1}), settings), DropReason::too_long);
}

TEST(LengthRules, AnAnchorNeedsTwoNeighbours) {
  EXPECT_EQ(reason_of(row_of({1, 0, 1, 0, 1}), limits(8, 0)), DropReason::too_few_supervised);
  EXPECT_EQ(reason_of(row_of({0, 0, 0, 1, 1}), limits(4, 0)), DropReason::too_few_supervised) << "one is cut off";
  EXPECT_EQ(reason_of(row_of({}), limits(4, 0)), DropReason::too_few_supervised);
  PreparedRow row = row_of({1, 0, 0, 1, 1});
  EXPECT_NO_THROW(apply_length_rules(row, limits(8, 0)));
}

TEST(LengthRules, TheMaskTokenCountsWhereItIsSupervisedAndKept) {
  PrepareSettings settings = limits(4, 0);
  settings.mask_token_id = 12;
  EXPECT_EQ(reason_of(row_of({1, 1, 1, 1, 1}), settings), DropReason::mask_token_in_answer);
  PreparedRow question = row_of({1, 1, 0, 1, 1});
  EXPECT_NO_THROW(apply_length_rules(question, settings));
  settings.mask_token_id = 14;
  PreparedRow behind_the_cut = row_of({1, 1, 1, 1, 1});
  EXPECT_NO_THROW(apply_length_rules(behind_the_cut, settings));
}

TEST(LengthRules, IdsLieBelowTheVocabulary) {
  PrepareSettings settings;
  EXPECT_NO_THROW(check_ids(row_of({1, 1}), settings));
  settings.vocab_size = 12;
  EXPECT_NO_THROW(check_ids(row_of({1, 1}), settings));
  settings.vocab_size = 11;
  EXPECT_THROW(check_ids(row_of({1, 1}), settings), BadRow);
}

}  // namespace
}  // namespace dflash
