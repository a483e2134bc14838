// Greedy speculative decoding against the six traces of golden/drafter/12_decode, step for step.

#include <gtest/gtest.h>

#include "common/eval/acceptance_report.h"
#include "tests/support/golden_decoder.h"

namespace dflash {
namespace {

TEST(DecodeGolden, EveryStepOfEveryRun) {
  const test::GoldenDecoder golden;
  ASSERT_EQ(golden.runs.size(), 6U);
  for (size_t i = 0; i < golden.runs.size(); ++i) {
    const Json& expected = golden.runs[i];
    const DecodeLimits limits = test::GoldenDecoder::limits_of(expected);
    const Json ours = trace_json({golden.decode(expected)}, limits)[0];
    ASSERT_EQ(ours["steps"].size(), expected["steps"].size()) << "run " << i;
    for (size_t s = 0; s < expected["steps"].size(); ++s)
      EXPECT_EQ(ours["steps"][s], expected["steps"][s]) << "run " << i << " step " << s;
    for (const char* key : {"prompt", "output_ids", "acceptance_lengths", "histogram", "block_size", "stop_token_ids",
                            "max_new_tokens"}) {
      EXPECT_EQ(ours[key], expected[key]) << "run " << i << " " << key;
    }
    EXPECT_EQ(ours["output_ids"], expected["plain_greedy_ids"]) << "run " << i;
  }
}

TEST(DecodeGolden, PooledLengthOfTheRunsWithBlocks) {
  const test::GoldenDecoder golden;
  AcceptanceCounts counts;
  for (const Json& run : golden.runs) {
    if (run["block_size"] != 1) counts.add(golden.decode(run));
  }
  const Json description = test::golden_case("drafter/12_decode");
  EXPECT_EQ(counts.target_passes, description["iterations"].get<int64_t>());
  EXPECT_DOUBLE_EQ(counts.acceptance_length(), description["accept_len_pooled"].get<double>());
}

TEST(DecodeGolden, TextDoesNotDependOnTheDrafter) {
  test::GoldenDecoder golden;
  golden.parameters.initialize(99, 1.0);  // a drafter that knows nothing
  for (const Json& run : golden.runs) EXPECT_EQ(Json(golden.decode(run).ids), run["plain_greedy_ids"]);
}

TEST(DecodeGolden, TextsDecodedSideBySideAreThoseDecodedAlone) {
  const test::GoldenDecoder golden;
  std::vector<std::vector<int64_t>> prompts;
  for (const Json& run : golden.runs) prompts.push_back(run["prompt"].get<std::vector<int64_t>>());
  const SpeculativeDecoder decoder(golden.target, golden.drafter, {30, 8, {8}});
  const std::vector<Decoded> together = decoder.decode(prompts);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const Json alone = trace_json(decoder.decode({&prompts[i], 1}), {30, 8, {8}})[0];
    EXPECT_EQ(trace_json({together[i]}, {30, 8, {8}})[0], alone) << "prompt " << i;
  }
}

TEST(DecodeGolden, ATieGoesToTheLowestId) {
  const test::GoldenDecoder golden;
  golden.target.ends().head.zero_();  // every logit of target and drafter is 0
  const std::vector<int64_t> prompt{7, 11, 13};
  const Decoded decoded = SpeculativeDecoder(golden.target, golden.drafter, {13, 8, {}}).decode({&prompt, 1}).front();
  std::vector<int64_t> expected = prompt;
  expected.resize(prompt.size() + 13, 0);
  EXPECT_EQ(decoded.ids, expected);
  ASSERT_EQ(decoded.steps.size(), 2U);  // 1 token of the prefill, then 8 and, of a shortened block, 4
  for (const DecodeStep& step : decoded.steps) {
    EXPECT_EQ(step.draft, std::vector<int64_t>(step.draft.size(), 0));
    EXPECT_EQ(step.posterior, std::vector<int64_t>(step.posterior.size(), 0));
    EXPECT_EQ(step.accepted, static_cast<int64_t>(step.draft.size()));
  }
}

}  // namespace
}  // namespace dflash
