#include "common/eval/greedy_check.h"

#include <gtest/gtest.h>

#include "tests/support/golden_decoder.h"

namespace dflash {
namespace {

class GreedyCheck : public ::testing::Test {
 protected:
  GreedyVerdict verdict_of(const Decoded& decoded) {
    return check_greedy(golden_.target, {&decoded, 1}, limits_).front();
  }

  test::GoldenDecoder golden_;
  Json run_ = golden_.runs[3];  // ends with a stop token
  DecodeLimits limits_ = test::GoldenDecoder::limits_of(run_);
  Decoded decoded_ = golden_.decode(run_);
};

TEST_F(GreedyCheck, PlainGreedyTextIsEqual) {
  EXPECT_EQ(verdict_of(decoded_), GreedyVerdict::equal);
}

TEST_F(GreedyCheck, AnyChangedTokenIsFound) {
  for (size_t i = static_cast<size_t>(decoded_.prompt_tokens); i < decoded_.ids.size(); ++i) {
    Decoded broken = decoded_;
    broken.ids[i] = (broken.ids[i] + 1) % golden_.target_config.vocab_size;
    EXPECT_EQ(verdict_of(broken), GreedyVerdict::different) << "token " << i;
  }
}

TEST_F(GreedyCheck, ATextThatEndsTooEarlyOrTooLateIsFound) {
  Decoded early = decoded_;
  early.ids.pop_back();  // neither a stop token nor the limit
  EXPECT_EQ(verdict_of(early), GreedyVerdict::different);
  limits_.stop_tokens = {decoded_.ids[decoded_.ids.size() - 3]};  // should have stopped there
  EXPECT_EQ(verdict_of(decoded_), GreedyVerdict::different);
}

TEST_F(GreedyCheck, OneBrokenTextAmongMany) {
  std::vector<Decoded> texts(5, decoded_);
  texts[3].ids.back() = (texts[3].ids.back() + 1) % golden_.target_config.vocab_size;
  const std::vector<GreedyVerdict> verdicts = check_greedy(golden_.target, texts, limits_);
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(verdicts[i] == GreedyVerdict::equal, i != 3) << i;
}

TEST(GreedyCheckTie, ANearTieIsCountedApart) {
  test::GoldenDecoder golden;
  const Json& run = golden.runs[0];
  Decoded decoded = golden.decode(run);
  // Give two tokens the same row of the head: their logits tie exactly, and greedy takes the lower id.
  const auto chosen = decoded.ids[static_cast<size_t>(decoded.prompt_tokens)];
  const int64_t twin = chosen == 94 ? 93 : 94;
  const TargetEnds ends = golden.target.ends();
  ends.head[twin].copy_(ends.head[chosen]);
  decoded.ids.resize(static_cast<size_t>(decoded.prompt_tokens) + 1);
  decoded.ids.back() = twin;
  EXPECT_EQ(check_greedy(golden.target, {&decoded, 1}, {1, 8, {}}).front(), GreedyVerdict::near_tie);
}

}  // namespace
}  // namespace dflash
