// The fuzz targets run without libFuzzer: all seeds, and for each target some hundreds of damaged ones.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutate.h"

namespace dflash::fuzz {
namespace {

constexpr int kMutations = 800;

class FuzzTargets : public testing::TestWithParam<Target> {};

TEST_P(FuzzTargets, EndWellForSeedsAndDamagedSeeds) {
  const std::vector<std::string> seeds = GetParam().seeds();
  ASSERT_GE(seeds.size(), 30U);
  const auto run = [](const std::string& input) {
    const auto begin = std::chrono::steady_clock::now();
    GetParam().run(input);
    // Generous, for machines under load and for sanitizers.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << input;
  };
  for (const std::string& seed : seeds) run(seed);
  std::mt19937_64 random(20);  // the same every time
  for (int i = 0; i < kMutations; ++i)
    run(mutate(seeds[random() % seeds.size()], seeds[random() % seeds.size()], random));
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(Mutate, IsTheSameForTheSameSeed) {
  std::mt19937_64 first(1), second(1), third(2);
  const std::string input(100, 'a'), other(100, 'b');
  const std::string damaged = mutate(input, other, first);
  EXPECT_NE(damaged, input);
  EXPECT_EQ(damaged, mutate(input, other, second));
  EXPECT_NE(damaged, mutate(input, other, third));
}

}  // namespace
}  // namespace dflash::fuzz
