#include "common/base/normal_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr uint64_t kSeed = 11, kSequence = 6'000'000'123;

std::vector<float> numbers(uint32_t row, uint32_t first, size_t count, uint64_t sequence = kSequence) {
  std::vector<float> out(count);
  NormalNumbers(kSeed, RandomPurpose::state_noise, sequence).fill(row, first, out);
  return out;
}

/// Number `index` of `row` in double precision, straight from the definition in the header.
double slow_number(uint32_t row, uint32_t index) {
  const CounterRandom random(kSeed, RandomPurpose::state_noise, kSequence);
  const auto block = philox(random.key(), {index / 4, row, random.stream()[0], random.stream()[1]});
  const uint32_t radius = block[index % 4 / 2 * 2], angle = block[index % 4 / 2 * 2 + 1];
  const double r = std::sqrt(-2.0 * std::log((static_cast<double>(radius >> 8) + 0.5) * 0x1p-24));
  const double in_quadrant = static_cast<double>((angle << 2) >> 8) * 0x1p-24;
  const double turn = (static_cast<double>(angle >> 30) + in_quadrant) * std::numbers::pi / 2;
  return r * (index % 2 == 0 ? std::cos(turn) : std::sin(turn));
}

TEST(NormalNumbers, AreThoseOfTheDefinition) {
  for (const uint32_t row : {0U, 1U, 4095U, 0xffffffffU}) {
    const std::vector<float> fast = numbers(row, 0, 1000);
    for (uint32_t i = 0; i < 1000; ++i) ASSERT_NEAR(fast[i], slow_number(row, i), 1e-5) << row << " " << i;
  }
}

TEST(NormalNumbers, AreTheSameHoweverTheyAreAskedFor) {
  const std::vector<float> all = numbers(3, 0, 777);
  for (const size_t first : {4UL, 128UL, 500UL, 772UL}) {
    for (const size_t count : {1UL, 3UL, 5UL}) {
      const std::vector<float> some = numbers(3, static_cast<uint32_t>(first), count);
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(some[i], all[first + i]) << first << " " << i;
    }
  }
}

TEST(NormalNumbers, DifferByRowAndSequence) {
  EXPECT_NE(numbers(0, 0, 8), numbers(1, 0, 8));
  EXPECT_NE(numbers(0, 0, 8), numbers(0, 0, 8, kSequence + 1));
}

TEST(NormalNumbers, HaveTheMomentsOfTheNormalDistribution) {
  double sum = 0, squares = 0, fourth = 0, neighbours = 0, previous = 0;
  int64_t beyond_two = 0;
  constexpr int64_t kRows = 200, kCount = 5000;
  for (uint32_t row = 0; row < kRows; ++row) {
    for (const float x : numbers(row, 0, kCount)) {
      sum += x;
      squares += double{x} * x;
      fourth += std::pow(x, 4);
      neighbours += x * previous;
      previous = x;
      beyond_two += std::abs(x) > 2 ? 1 : 0;
    }
  }
  constexpr double kAll = kRows * kCount;  // a million: a standard error of the mean is 1e-3
  EXPECT_NEAR(sum / kAll, 0, 5e-3);
  EXPECT_NEAR(squares / kAll, 1, 7e-3);
  EXPECT_NEAR(fourth / kAll, 3, 5e-2);
  EXPECT_NEAR(neighbours / kAll, 0, 5e-3);
  EXPECT_NEAR(static_cast<double>(beyond_two) / kAll, 0.0455, 1.1e-3);
}

TEST(NormalNumbers, BeginAtAMultipleOfFour) {
  expect_error(ErrorKind::internal, "multiple of 4", [] { (void)numbers(0, 2, 4); });
}

}  // namespace
}  // namespace dflash
