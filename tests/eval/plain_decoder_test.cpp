// Plain decoding of many texts side by side, against the runs of golden/drafter/12_decode and a forward without caches.

#include "common/eval/plain_decoder.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "common/eval/greedy_check.h"
#include "common/eval/greedy_ids.h"
#include "tests/support/errors.h"
#include "tests/support/golden_decoder.h"

namespace dflash {
namespace {

/// A list of prompts; answers by row.
class ListQueue : public PlainQueue {
 public:
  explicit ListQueue(std::deque<PlainPrompt> prompts) : prompts_(std::move(prompts)) {}
  std::optional<PlainPrompt> next(bool) override {
    if (prompts_.empty()) return std::nullopt;
    PlainPrompt prompt = std::move(prompts_.front());
    prompts_.pop_front();
    return prompt;
  }
  void take(PlainAnswer answer) override { answers[answer.row] = std::move(answer); }
  [[nodiscard]] bool stopped() const override { return tokens >= stop_at_tokens; }
  void count_tokens(int64_t new_tokens) override {
    tokens += new_tokens;
    most_at_once = std::max(most_at_once, new_tokens);
  }

  std::map<uint64_t, PlainAnswer> answers;
  int64_t tokens = 0, most_at_once = 0;
  int64_t stop_at_tokens = 1 << 30;

 private:
  std::deque<PlainPrompt> prompts_;
};

class PlainDecoding : public ::testing::Test {
 protected:
  /// The prompts of the golden runs again and again, cut to other lengths, each with its own limit.
  [[nodiscard]] std::deque<PlainPrompt> prompts(uint64_t count) const {
    std::deque<PlainPrompt> prompts;
    for (uint64_t row = 0; row < count; ++row) {
      PlainPrompt prompt{golden_.runs[row % 6]["prompt"].get<std::vector<int64_t>>(), 0, row, 0};
      if (row >= 6) prompt.ids.resize(1 + row % prompt.ids.size());
      prompt.most_new_tokens = static_cast<int64_t>(3 + 7 * row % 23);
      prompts.push_back(std::move(prompt));
    }
    return prompts;
  }
  [[nodiscard]] std::map<uint64_t, PlainAnswer> answers(const std::deque<PlainPrompt>& prompts,
                                                        const PlainSettings& settings) const {
    ListQueue queue(prompts);
    PlainDecoder(golden_.target, settings).run(queue);
    EXPECT_LE(queue.most_at_once, settings.most_texts);
    EXPECT_EQ(queue.answers.size(), prompts.size());
    return queue.answers;
  }

  test::GoldenDecoder golden_;
};

TEST_F(PlainDecoding, GivesTheGreedyTextsOfTheReference) {
  for (size_t i = 0; i < golden_.runs.size(); ++i) {
    const Json& run = golden_.runs[i];
    const DecodeLimits limits = test::GoldenDecoder::limits_of(run);
    auto ids = run["prompt"].get<std::vector<int64_t>>();
    const auto given = answers({{ids, limits.max_new_tokens, 0, 0}}, {.stop_tokens = limits.stop_tokens});
    const PlainAnswer& answer = given.at(0);
    ids.insert(ids.end(), answer.ids.begin(), answer.ids.end());
    EXPECT_EQ(Json(ids), run["plain_greedy_ids"]) << "run " << i;
    const bool has_stop = std::ranges::find(limits.stop_tokens, answer.ids.back()) != limits.stop_tokens.end();
    EXPECT_EQ(answer.stopped, has_stop) << "run " << i;
  }
}

TEST_F(PlainDecoding, EveryGreedyTokenIsTheBestOfAForwardWithoutACache) {
  const auto asked = prompts(40);
  const std::vector<int64_t> stops{8, 21};
  const auto given = answers(asked, {.stop_tokens = stops, .most_texts = 7});
  for (const PlainPrompt& prompt : asked) {
    Decoded decoded{static_cast<int64_t>(prompt.ids.size()), prompt.ids, {}};
    const PlainAnswer& answer = given.at(prompt.row);
    decoded.ids.insert(decoded.ids.end(), answer.ids.begin(), answer.ids.end());
    const DecodeLimits limits{prompt.most_new_tokens, 1, stops};
    EXPECT_NE(check_greedy(golden_.target, {&decoded, 1}, limits).front(), GreedyVerdict::different) << prompt.row;
  }
}

TEST_F(PlainDecoding, ATextDoesNotDependOnItsNeighbours) {
  for (const double temperature : {0.0, 0.8}) {
    const Sampling sampling{.temperature = temperature, .top_k = 50, .top_p = 0.95, .seed = 5};
    const auto asked = prompts(30);
    const auto alone = answers(asked, {{8}, sampling, 1});
    for (const int64_t most_texts : {2, 5, 32}) {
      const auto together = answers(asked, {{8}, sampling, most_texts});
      for (const auto& [row, answer] : alone)
        EXPECT_EQ(together.at(row).ids, answer.ids) << row << " of " << most_texts;
    }
  }
}

TEST_F(PlainDecoding, DrawnTextsAreThoseOfTheirNumbers) {
  const PlainPrompt prompt{golden_.runs[0]["prompt"].get<std::vector<int64_t>>(), 12, 77, 3};
  const Sampling sampling{.temperature = 1.1, .top_p = 0.9, .seed = 123};
  const PlainAnswer answer = answers({prompt}, {{}, sampling, 4}).at(77);
  std::vector<int64_t> ids = prompt.ids;
  for (uint64_t position = 0; position < 12; ++position) {  // again, without a cache
    at::Tensor last;
    const auto rows = static_cast<int32_t>(ids.size());
    const std::vector<int32_t> starts{0, rows};
    golden_.target.forward_packed({id_tensor(ids), at::arange(rows, at::kLong), starts},
                                  [&](int64_t, const at::Tensor& hidden) { last = hidden.narrow(0, rows - 1, 1); });
    const at::Tensor logits = golden_.target.logits(last).contiguous();
    const std::span<const float> row(logits.const_data_ptr<float>(), static_cast<size_t>(logits.numel()));
    ids.push_back(sample_token(row, sampling, token_uniform(123, 77, 3, position)));
  }
  EXPECT_EQ(answer.ids, std::vector<int64_t>(ids.end() - 12, ids.end()));
  EXPECT_EQ(answer.turn, 3U);
  for (const Sampling& other : {Sampling{1.1, 0, 0.9, 124}, Sampling{1.1, 0, 0.9, 123}}) {
    PlainPrompt next = prompt;
    if (other.seed == 123) next.turn = 4;
    EXPECT_NE(answers({next}, {{}, other, 4}).at(77).ids, answer.ids) << "another seed or turn, the same text";
  }
}

TEST_F(PlainDecoding, StopsWhenTheQueueSaysSo) {
  ListQueue queue(prompts(30));
  queue.stop_at_tokens = 20;
  PlainDecoder(golden_.target, {.most_texts = 4}).run(queue);
  EXPECT_LT(queue.tokens, 20 + 4);
  EXPECT_LT(queue.answers.size(), 10U);
}

TEST_F(PlainDecoding, BrokenWeightsAreAnError) {
  golden_.target.ends().head.fill_(std::nan(""));
  for (const double temperature : {0.0, 1.0}) {
    const PlainSettings settings{{}, {.temperature = temperature}, 2};
    EXPECT_EQ(error_of([&] { (void)answers(prompts(3), settings); }).kind(), ErrorKind::not_finite);
  }
}

}  // namespace
}  // namespace dflash
