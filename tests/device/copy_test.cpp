#include "tests/device/device_kinds.h"

namespace dflash {
namespace {

class CopyTest : public DeviceTest {
 protected:
  Pool host_ = host_pool(device_, 4);
  Pool there_ = device_pool(device_, 2);
  Stream stream_ = device_.make_stream("copies");
  Stream other_ = device_.make_stream("others");
};
INSTANTIATE_TEST_SUITE_P(Devices, CopyTest, testing::ValuesIn(every_device()), device_name);

TEST_P(CopyTest, LandsWithBothSides) {
  auto [from, to] = copy_async(stream_, take_written(host_, 1), take(host_)).land(late());
  EXPECT_EQ(wrong_bytes(from.host_view(), 1), 0U);
  EXPECT_EQ(wrong_bytes(to.host_view(), 1), 0U);
  EXPECT_EQ(host_.free_count(), 2U);
}

TEST_P(CopyTest, ThenHandsTheDestinationOnAndGivesTheSourceBack) {
  OnStream<Buffer> on_device = copy_async(stream_, take_written(host_, 2), take(there_)).then(other_);
  EXPECT_TRUE(comes_true([&] { return host_.free_count() == 4; }));
  auto [from, to] = copy_async(other_, std::move(on_device), take(host_)).land(late());
  EXPECT_EQ(wrong_bytes(to.host_view(), 2), 0U);
}

TEST_P(CopyTest, ADroppedCopyGivesBothSidesBack) {
  static_cast<void>(copy_async(stream_, take_written(host_, 3), take(there_)));
  EXPECT_TRUE(device_.drain(late()));
  EXPECT_EQ(host_.free_count(), 4U);
  EXPECT_EQ(there_.free_count(), 2U);
  EXPECT_EQ(device_.stats().lost_blocks, 0U);
}

TEST_P(CopyTest, ManyAreInFlightAtOnceEachWithItsOwn) {
  Pool many = host_pool(device_, 60, 64);
  std::vector<InFlight<Buffer, Buffer>> copies;
  copies.reserve(30);
  for (size_t i = 0; i < 30; ++i) {
    copies.push_back(copy_async(i % 2 == 0 ? stream_ : other_, take_written(many, i), take(many)));
  }
  for (size_t i = 0; i < 30; ++i) {
    auto sides = std::move(copies[29 - i]).land(late());
    EXPECT_EQ(wrong_bytes(sides.second.host_view(), 29 - i), 0U);
  }
}

TEST_P(CopyTest, CopiesARange) {
  Landed<Buffer> to = take_written(host_, 9);
  auto sides =
      copy_async(stream_, take_written(host_, 4), std::move(to), {.from_byte = 10, .to_byte = 700, .size_bytes = 200})
          .land(late());
  const auto view = sides.second.host_view();
  size_t wrong = 0;
  for (size_t i = 0; i < 1000; ++i) {
    wrong += view[i] != (i >= 700 && i < 900 ? byte_of(4, i - 690) : byte_of(9, i));
  }
  EXPECT_EQ(wrong, 0U);
}

TEST_P(CopyTest, SeveralSourcesFillOneDestination) {
  Pool parts = host_pool(device_, 2, 500);
  OnStream<Buffer> whole = copy_async(stream_, take_written(parts, 5), take(there_)).then(stream_);
  whole = copy_async(stream_, take_written(parts, 6), std::move(whole), {.to_byte = 500}).then(stream_);
  auto sides = copy_async(stream_, std::move(whole), take(host_)).land(late());
  EXPECT_EQ(wrong_bytes(sides.second.host_view().first(500), 5), 0U);
  EXPECT_EQ(wrong_bytes(sides.second.host_view().last(500), 6), 0U);
}

TEST_P(CopyTest, ARangeOutsideChangesNothing) {
  Landed<Buffer> from = take_written(host_, 1);
  Landed<Buffer> to = take_written(host_, 2);
  const std::vector<CopyRange> outside = {{.from_byte = 1001},
                                          {.to_byte = 1},
                                          {.from_byte = 500, .size_bytes = 501},
                                          {.to_byte = 1000, .size_bytes = 1},
                                          {.to_byte = 1001, .size_bytes = 0},
                                          {.from_byte = 1, .size_bytes = CopyRange::kAll - 1}};
  for (const CopyRange& range : outside) {
    expect_error(ErrorKind::internal, "does not lie within both",
                 [&] { static_cast<void>(copy_async(stream_, std::move(from), std::move(to), range)); });
  }
  EXPECT_EQ(wrong_bytes(from.host_view(), 1), 0U);  // NOLINT: a call that throws has taken nothing
  EXPECT_EQ(wrong_bytes(to.host_view(), 2), 0U);    // NOLINT
}

TEST_P(CopyTest, WhatWasLandedCannotBeUsedAgain) {
  auto copy = copy_async(stream_, take_written(host_, 1), take(host_));
  static_cast<void>(std::move(copy).land(late()));
  expect_error(ErrorKind::internal, "after it was landed",
               [&] { static_cast<void>(std::move(copy).land(late())); });  // NOLINT
  Landed<Buffer> gone = take(host_);
  const Landed<Buffer> kept = std::move(gone);
  expect_error(ErrorKind::internal, "0: handed over",
               [&] { static_cast<void>(copy_async(stream_, std::move(gone), take(host_))); });  // NOLINT
}

}  // namespace
}  // namespace dflash
