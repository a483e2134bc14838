// The fast paths against slow obvious code: every value by itself, in double where it matters.

#include "common/data/captured_states.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/base/normal_numbers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Bytes = std::vector<std::byte>;

BatchLayout layout_of(int64_t tokens, int64_t hidden, DType dtype) {
  return make_batch_layout(tokens, hidden, {1, 4, 7}, dtype);
}

float read_value(const Bytes& bytes, size_t index, DType dtype) {
  if (dtype == DType::f32) {
    float value;
    std::memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, bytes.data() + 2 * index, 2);
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

void write_value(Bytes& bytes, size_t index, DType dtype, float value) {
  if (dtype == DType::f32) {
    std::memcpy(bytes.data() + 4 * index, &value, 4);
  } else {
    const auto half = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
    std::memcpy(bytes.data() + 2 * index, &half, 2);
  }
}

/// Finite values of many sizes, a different one at every place.
Bytes some_states(const BatchLayout& layout) {
  Bytes bytes(layout.captured_bytes());
  const CounterRandom random(3, RandomPurpose::weights, 0);
  for (size_t i = 0; i < bytes.size() / dtype_bytes(layout.captured_dtype); ++i) {
    write_value(bytes, i, layout.captured_dtype, static_cast<float>(random.normal(i) * std::pow(10.0, i % 5)));
  }
  return bytes;
}

/// The nearest bf16 by trying the neighbours; ties go to the even one.
float nearest_bf16(float value) {
  const auto low = std::bit_cast<uint32_t>(value) & 0xffff0000U;
  const float a = std::bit_cast<float>(low), b = std::bit_cast<float>(low + 0x10000U);
  const double to_a = std::abs(double{value} - a), to_b = std::abs(double{b} - value);
  if (to_a != to_b) return to_a < to_b ? a : b;
  return (low >> 16) % 2 == 0 ? a : b;
}

float slow_value(const Bytes& captured, const BatchLayout& layout, const StateNoise& noise, int64_t token,
                 int64_t feature) {
  const int64_t layer = feature / layout.hidden_size, place = feature % layout.hidden_size;
  const auto index = static_cast<size_t>((layer * layout.pack_tokens + token) * layout.hidden_size + place);
  const float value = read_value(captured, index, layout.captured_dtype);
  if (noise.strength == 0) return value;
  std::vector<float> row(static_cast<size_t>(feature) + 1);
  NormalNumbers(noise.seed, RandomPurpose::state_noise, static_cast<uint64_t>(noise.sequence))
      .fill(static_cast<uint32_t>(token), 0, row);
  // The product and the sum may be fused into one rounding; both forms are exact to half a bit of fp32.
  const auto sum = static_cast<float>(double{value} + double{static_cast<float>(noise.strength)} * row.back());
  return layout.captured_dtype == DType::f32 ? sum : nearest_bf16(sum);
}

void expect_packed(const Bytes& packed, const Bytes& captured, const BatchLayout& layout, const StateNoise& noise) {
  for (int64_t token = 0; token < layout.pack_tokens; ++token) {
    for (int64_t feature = 0; feature < layout.captured_width(); ++feature) {
      const auto index = static_cast<size_t>(token * layout.captured_width() + feature);
      const float got = read_value(packed, index, layout.captured_dtype);
      const float expected = slow_value(captured, layout, noise, token, feature);
      const float slack =
          noise.strength == 0 ? 0 : std::abs(expected) * (layout.captured_dtype == DType::f32 ? 3e-7F : 8e-3F);
      ASSERT_NEAR(got, expected, slack) << "token " << token << " feature " << feature;
    }
  }
}

class CapturedStates : public testing::TestWithParam<std::tuple<DType, int64_t>> {
 protected:
  [[nodiscard]] static BatchLayout layout() { return layout_of(9, std::get<1>(GetParam()), std::get<0>(GetParam())); }
};

TEST_P(CapturedStates, AreLaidSideBySide) {
  const Bytes captured = some_states(layout());
  Bytes packed(captured.size());
  EXPECT_TRUE(pack_hidden_states_from_captured(captured, layout(), {}, packed));
  expect_packed(packed, captured, layout(), {});
}

TEST_P(CapturedStates, GetTheNoiseOfTheirPlace) {
  const Bytes captured = some_states(layout());
  const StateNoise noise{0.25, 17, 4};
  Bytes packed(captured.size());
  EXPECT_TRUE(pack_hidden_states_from_captured(captured, layout(), noise, packed));
  expect_packed(packed, captured, layout(), noise);
}

TEST_P(CapturedStates, NoiseHasTheSameBitsWhereverItIsAdded) {
  const Bytes captured = some_states(layout());
  const StateNoise noise{0.5, 17, 9};
  Bytes at_once(captured.size()), later(captured.size()), split(captured.size()), joined(captured.size());
  ASSERT_TRUE(pack_hidden_states_from_captured(captured, layout(), noise, at_once));
  ASSERT_TRUE(pack_hidden_states_from_captured(captured, layout(), {}, later));
  EXPECT_NE(at_once, later);
  add_noise_to_packed(later, layout(), noise);
  EXPECT_EQ(at_once, later) << "on replay";
  ASSERT_TRUE(copy_captured_layers(captured, layout(), split));
  EXPECT_EQ(split, captured);
  ASSERT_TRUE(pack_hidden_states_from_captured(split, layout(), noise, joined));
  EXPECT_EQ(at_once, joined) << "on the drafter";
}

TEST_P(CapturedStates, AValueThatIsNotFiniteIsNoticedAtAnyPlace) {
  const BatchLayout own = layout();
  const Bytes clean = some_states(own);
  Bytes to(clean.size());
  for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (size_t i = 0; i < clean.size() / dtype_bytes(own.captured_dtype); ++i) {
      Bytes captured = clean;
      write_value(captured, i, own.captured_dtype, bad);
      ASSERT_FALSE(pack_hidden_states_from_captured(captured, own, {}, to)) << i;
      ASSERT_FALSE(pack_hidden_states_from_captured(captured, own, {1, 0, 0}, to)) << i;
      ASSERT_FALSE(copy_captured_layers(captured, own, to)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CapturedStates,
                         testing::Combine(testing::Values(DType::f32, DType::bf16), testing::Values(5, 32, 40)));

TEST(LargeCapturedStates, ThatPassTheCachesByAreTheSame) {
  const BatchLayout layout = layout_of(512, 1024, DType::f32);  // 6 MiB
  const Bytes captured = some_states(layout);
  Bytes packed(captured.size());
  ASSERT_TRUE(pack_hidden_states_from_captured(captured, layout, {}, packed));
  expect_packed(packed, captured, layout, {});
}

TEST(CapturedStatesOfTheWrongSize, AreRefused) {
  const BatchLayout layout = layout_of(4, 8, DType::f32);
  Bytes right(layout.captured_bytes()), wrong(layout.captured_bytes() - 1);
  expect_error(ErrorKind::internal, "the layout says 384",
               [&] { (void)pack_hidden_states_from_captured(right, layout, {}, wrong); });
  expect_error(ErrorKind::internal, "the layout says 384", [&] { (void)copy_captured_layers(wrong, layout, right); });
}

}  // namespace
}  // namespace dflash
