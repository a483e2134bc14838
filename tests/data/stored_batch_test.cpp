#include "common/data/stored_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/base/float_bits.h"
#include "common/base/random.h"
#include "common/data/small_floats.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Bytes = std::vector<std::byte>;
constexpr int64_t kTokens = 20, kHidden = 48;

/// Every E4M3 value by the format's definition.
std::vector<double> all_e4m3() {
  std::vector<double> values;
  for (int exponent = 0; exponent < 16; ++exponent) {
    for (int mantissa = 0; mantissa < 8; ++mantissa) {
      if (exponent == 15 && mantissa == 7) continue;
      values.push_back(exponent == 0 ? mantissa / 8.0 * std::pow(2, -6)
                                     : (1 + mantissa / 8.0) * std::pow(2, exponent - 7));
    }
  }
  return values;
}

TEST(SmallFloats, E4m3IsTheNearestOfAllItsValues) {
  const std::vector<double> all = all_e4m3();
  for (size_t code = 0; code < all.size(); ++code) {
    EXPECT_EQ(from_e4m3(static_cast<uint8_t>(code)), all[code]);
    EXPECT_EQ(e4m3_from(static_cast<float>(all[code])), code);
    EXPECT_EQ(e4m3_from(-static_cast<float>(all[code])), code | 0x80U);
    if (code + 1 == all.size()) continue;
    const auto middle = static_cast<float>((all[code] + all[code + 1]) / 2);  // to the even of the two
    EXPECT_EQ(e4m3_from(middle), code + code % 2);
    EXPECT_EQ(e4m3_from(std::nextafter(middle, 0.0F)), code);
    EXPECT_EQ(e4m3_from(std::nextafter(middle, 1000.0F)), code + 1);
  }
  EXPECT_EQ(from_e4m3(e4m3_from(1e6F)), 448);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(from_e4m3(e4m3_from(bad))));
  }
}

TEST(SmallFloats, Bf16RoundsToNearestEven) {
  EXPECT_EQ(bf16_from(1.0F), 0x3f80);
  EXPECT_EQ(bf16_from(std::bit_cast<float>(0x3f808000U)), 0x3f80);  // half way: the even one
  EXPECT_EQ(bf16_from(std::bit_cast<float>(0x3f818000U)), 0x3f82);
  EXPECT_EQ(bf16_from(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_TRUE(std::isnan(from_bf16(bf16_from(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isinf(from_bf16(bf16_from(std::numeric_limits<float>::infinity()))));
}

Bytes some_slot(const BatchLayout& layout) {
  Bytes slot(layout.slot_bytes);
  const CounterRandom random(9, RandomPurpose::weights, 0);
  for (size_t i = 0; i < layout.captured_offset; ++i) slot[i] = static_cast<std::byte>(random.bits(i));
  for (int64_t i = 0; i < layout.pack_tokens * layout.captured_width(); ++i) {
    const double size = std::pow(10.0, static_cast<double>(i / kHidden % 5) - 2);  // rows of very unequal sizes
    const auto at = static_cast<uint64_t>(i);
    const auto value = static_cast<float>(size * random.normal(at));
    if (layout.captured_dtype == DType::f32) {
      std::memcpy(slot.data() + layout.captured_offset + 4 * i, &value, 4);
    } else {
      const uint16_t bits = bf16_from(value);
      std::memcpy(slot.data() + layout.captured_offset + 2 * i, &bits, 2);
    }
  }
  return slot;
}

TEST(StoredBatch, GivesBackWhatItSaysItLost) {
  const BatchLayout layout = make_batch_layout(kTokens, kHidden, {0, 3, 5}, DType::f32);
  const Bytes slot = some_slot(layout);
  struct Case {
    StateStorage storage;
    double least_rms, most_rms, most;
  };
  // 8 significant bits round by 2^-8 of a value at most; E4M3 has steps of 32 below its largest value, 448.
  for (const Case& c :
       {Case{StateStorage::bfloat16, 4e-4, 2e-3, 1.0 / 256}, {StateStorage::float8, 0.01, 0.032, 1.0 / 28}}) {
    Bytes stored(stored_batch_bytes(layout, c.storage)), back(layout.slot_bytes);
    EXPECT_LT(stored.size(), layout.slot_bytes * (c.storage == StateStorage::float8 ? 4 : 6) / 10);
    StorageLoss loss;
    store_batch(slot, layout, c.storage, stored, loss);
    restore_batch(stored, layout, c.storage, back);
    EXPECT_EQ(std::memcmp(slot.data(), back.data(), layout.captured_offset), 0) << "ids and header are as they were";
    double square_error = 0, square = 0;
    for (int64_t i = 0; i < layout.pack_tokens * layout.captured_width(); ++i) {
      float before = 0, after = 0;
      std::memcpy(&before, slot.data() + layout.captured_offset + 4 * i, 4);
      std::memcpy(&after, back.data() + layout.captured_offset + 4 * i, 4);
      square_error += std::pow(double{before} - double{after}, 2);
      square += std::pow(double{before}, 2);
    }
    EXPECT_NEAR(loss.relative_rms(), std::sqrt(square_error / square), 1e-9);
    EXPECT_GT(loss.relative_rms(), c.least_rms);
    EXPECT_LT(loss.relative_rms(), c.most_rms);
    EXPECT_LE(loss.largest, c.most);
  }
}

TEST(StoredBatch, OfBf16InBf16LosesNothing) {
  const BatchLayout layout = make_batch_layout(kTokens, kHidden, {1}, DType::bf16);
  const Bytes slot = some_slot(layout);
  Bytes stored(stored_batch_bytes(layout, StateStorage::bfloat16)), back(slot);
  StorageLoss loss;
  store_batch(slot, layout, StateStorage::bfloat16, stored, loss);
  restore_batch(stored, layout, StateStorage::bfloat16, back);
  EXPECT_EQ(back, slot);
  EXPECT_EQ(loss.relative_rms(), 0);
}

TEST(StoredBatch, KeepsZerosAndWhatIsNotFinite) {
  const BatchLayout layout = make_batch_layout(2, 4, {0}, DType::f32);
  Bytes slot(layout.slot_bytes), back(layout.slot_bytes);
  const std::vector<float> values{0, 0, 0, 0, 2, std::numeric_limits<float>::infinity(), -1, 1e-30F};
  std::memcpy(slot.data() + layout.captured_offset, values.data(), 32);
  Bytes stored(stored_batch_bytes(layout, StateStorage::float8));
  StorageLoss loss;
  store_batch(slot, layout, StateStorage::float8, stored, loss);
  restore_batch(stored, layout, StateStorage::float8, back);
  std::vector<float> restored(values.size());
  std::memcpy(restored.data(), back.data() + layout.captured_offset, 32);
  EXPECT_EQ(std::vector<float>(restored.begin(), restored.begin() + 5), (std::vector<float>{0, 0, 0, 0, 2}));
  EXPECT_FALSE(std::isfinite(restored[5]));
  EXPECT_EQ(restored[6], -1);
  EXPECT_EQ(restored[7], 0);
}

TEST(StoredBatch, RefusesSpansThatDoNotFit) {
  const BatchLayout layout = make_batch_layout(2, 4, {0}, DType::f32);
  Bytes slot(layout.slot_bytes), stored(stored_batch_bytes(layout, StateStorage::float8));
  StorageLoss loss;
  for (const auto& [size, stored_size] :
       {std::pair{slot.size(), stored.size() - 1}, {slot.size() - 64, stored.size()}}) {
    EXPECT_EQ(error_of([&] {
                store_batch(std::span(slot).first(size), layout, StateStorage::float8,
                            std::span(stored).first(stored_size), loss);
              }).kind(),
              ErrorKind::internal);
  }
  const BatchLayout split = make_batch_layout(2, 4, {0, 1}, DType::f32, true);
  Bytes split_slot(split.slot_bytes), split_stored(stored_batch_bytes(split, StateStorage::float8));
  EXPECT_EQ(error_of([&] { store_batch(split_slot, split, StateStorage::float8, split_stored, loss); }).kind(),
            ErrorKind::internal);
}

}  // namespace
}  // namespace dflash
