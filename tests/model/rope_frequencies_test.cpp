// The numbers of dflash-semantics 9.6.

#include "common/model/rope_frequencies.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

/// Frequency i of a table, in parts of the expected one.
void expect_frequency(const std::vector<float>& table, size_t i, double expected) {
  EXPECT_NEAR(table[i] / expected, 1.0, 1e-6) << "frequency " << i;
}

TEST(RopeFrequencies, PlainOnesAreAGeometricRow) {
  const auto table = inverse_frequencies(4, {});
  EXPECT_EQ(table, (std::vector<float>{1.0F, 0.01F}));
  EXPECT_EQ(rope_attention_factor({}), 1);
}

TEST(RopeFrequencies, LinearDividesAll) {
  const auto table = inverse_frequencies(4, {.type = RopeType::linear, .factor = 4});
  expect_frequency(table, 0, 0.25);
  expect_frequency(table, 1, 0.0025);
}

TEST(RopeFrequencies, Llama3BlendsBetweenShortAndLongWaves) {
  const auto table = inverse_frequencies(128, {.type = RopeType::llama3,
                                               .theta = 5e5,
                                               .factor = 8,
                                               .original_max_position_embeddings = 8192,
                                               .low_freq_factor = 1,
                                               .high_freq_factor = 4});
  expect_frequency(table, 16, .037606031);
  expect_frequency(table, 28, .003211446);
  expect_frequency(table, 29, .002166571);  // the first blended one
  expect_frequency(table, 32, .000524846);
  expect_frequency(table, 35, 9.556212e-5);
  expect_frequency(table, 63, 3.068926e-7);
}

TEST(RopeFrequencies, YarnOfAShortModel) {
  const RopeConfig rope{.type = RopeType::yarn, .theta = 1e4, .factor = 16, .original_max_position_embeddings = 4096};
  const auto table = inverse_frequencies(64, rope);
  expect_frequency(table, 10, .056234133);
  expect_frequency(table, 15, .008526844);
  expect_frequency(table, 20, .000881789);
  expect_frequency(table, 23, 8.334509e-5);
  expect_frequency(table, 31, 8.334509e-6);
  EXPECT_NEAR(rope_attention_factor(rope), 1.277258872, 1e-9);
}

TEST(RopeFrequencies, YarnOfALongModel) {
  const RopeConfig rope{.type = RopeType::yarn, .theta = 1e6, .factor = 4, .original_max_position_embeddings = 32768};
  const auto table = inverse_frequencies(128, rope);
  expect_frequency(table, 30, .001064361);
  expect_frequency(table, 40, 4.445699e-5);
  expect_frequency(table, 63, 3.102344e-7);
  EXPECT_NEAR(rope_attention_factor(rope), 1.138629436, 1e-9);
}

TEST(RopeFrequencies, YarnsAttentionFactorIsGivenOrFollowsFromItsScales) {
  RopeConfig rope{.type = RopeType::yarn, .factor = 16, .original_max_position_embeddings = 4096};
  rope.mscale = 0.5;
  EXPECT_NEAR(rope_attention_factor(rope), 1.277258872, 1e-9);  // one of the two alone counts for nothing
  rope.mscale_all_dim = 1;
  EXPECT_NEAR(rope_attention_factor(rope), 1.138629436 / 1.277258872, 1e-9);  // 0.1 * 0.5 * ln 16 + 1 over that of 1
  rope.attention_factor = 1.5;
  EXPECT_EQ(rope_attention_factor(rope), 1.5);
  EXPECT_EQ(rope_attention_factor({.type = RopeType::yarn, .factor = 1, .original_max_position_embeddings = 8}), 1);
}

}  // namespace
}  // namespace dflash
