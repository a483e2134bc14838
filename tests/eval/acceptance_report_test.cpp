#include "common/eval/acceptance_report.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

DecodeStep step_of(int64_t accepted, size_t committed) {
  DecodeStep step;
  step.draft = {1, 2, 3};
  step.accepted = accepted;
  step.committed.assign(committed, 9);
  return step;
}

/// Three passes of a block of four: all drafted tokens and the bonus token, nothing but the target's own, and a last
/// pass that had room for two of three accepted tokens.
Decoded example() {
  return {2, {5, 5, 9}, {step_of(3, 4), step_of(0, 1), step_of(3, 2)}};
}

TEST(AcceptanceReport, CountsByHand) {
  AcceptanceCounts counts;
  counts.add(example());
  EXPECT_EQ(counts.target_passes, 3);
  EXPECT_EQ(counts.committed_tokens, 7);
  EXPECT_EQ(counts.accepted_tokens, 3 + 0 + 2);
  EXPECT_DOUBLE_EQ(counts.acceptance_length(), 7.0 / 3.0);
  EXPECT_EQ(AcceptanceCounts().acceptance_length(), 0.0);
}

TEST(AcceptanceReport, PoolsByKindAndKeepsVerdictsApart) {
  const std::vector<Prompt> prompts{{{1}, "code"}, {{1}, "story"}, {{1}, "code"}};
  const std::vector<Decoded> decoded{example(), {1, {1, 9, 9}, {step_of(0, 1)}}, example()};
  const AcceptanceReport report =
      make_report(prompts, decoded, {GreedyVerdict::equal, GreedyVerdict::near_tie, GreedyVerdict::equal}, 4);
  EXPECT_EQ(report.histogram, (std::vector<int64_t>{3, 2, 0, 2}));
  EXPECT_EQ(report.by_kind.at("code").target_passes, 6);
  EXPECT_EQ(report.by_kind.at("story").committed_tokens, 1);
  EXPECT_TRUE(report.lossless());
  EXPECT_EQ(report.near_ties, 1);

  const Json json = report_json(report);
  for (const char* key : {"acceptance_length", "accepted_tokens", "by_kind", "histogram", "target_passes", "prompts",
                          "lossless", "near_ties"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_DOUBLE_EQ(json["acceptance_length"].get<double>(), 15.0 / 7.0);
  EXPECT_EQ(json["prompts"], 3);
}

TEST(AcceptanceReport, OneDifferenceIsNotLossless) {
  const AcceptanceReport report = make_report({{{1}, "a"}}, {example()}, {GreedyVerdict::different}, 4);
  EXPECT_FALSE(report.lossless());
  EXPECT_EQ(report_json(report)["lossless"], false);
  EXPECT_NE(report_text(report).find("NOT lossless"), std::string::npos);
}

TEST(AcceptanceReport, ANewTokenWithoutAPassHasNoLength) {
  const AcceptanceReport report = make_report({{{1}, "a"}}, {{1, {1, 2}, {}}}, {GreedyVerdict::equal}, 4);
  EXPECT_EQ(report.all.target_passes, 0);
  EXPECT_NE(report_text(report).find("saved: 0 of 0"), std::string::npos);
}

}  // namespace
}  // namespace dflash
