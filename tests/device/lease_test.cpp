#include "tests/device/device_kinds.h"

namespace dflash {
namespace {

class LeaseTest : public DeviceTest {
 protected:
  Pool host_ = host_pool(device_, 2);
  Stream stream_ = device_.make_stream("copies");
  std::shared_ptr<TestRing> ring_ = std::make_shared<TestRing>();
};
INSTANTIATE_TEST_SUITE_P(Devices, LeaseTest, testing::ValuesIn(every_device()), device_name);

TEST_P(LeaseTest, GivesItsSlotBackOnce) {
  {
    Landed<Lease<TestSlot>> lease = ring_->lend();
    EXPECT_EQ(lease->slot().index, 3U);
    Landed<Lease<TestSlot>> moved = std::move(lease);
    EXPECT_EQ(moved.host_view().size(), 1000U);
    expect_error(ErrorKind::internal, "handed over", [&] { static_cast<void>(lease.host_view()); });  // NOLINT
    EXPECT_EQ(ring_->landed(), 0);
  }
  EXPECT_EQ(ring_->landed(), 1);
  EXPECT_EQ(ring_->strange(), 0);
}

TEST_P(LeaseTest, AssignmentGivesTheOldOneBack) {
  Landed<Lease<TestSlot>> lease = ring_->lend();
  lease = ring_->lend();
  EXPECT_EQ(ring_->landed(), 1);
}

TEST_P(LeaseTest, TakesPartInCopiesAndComesBackAfterThem) {
  {
    auto [from, to] = copy_async(stream_, take_written(host_, 6), ring_->lend()).land(late());
    EXPECT_EQ(wrong_bytes(to.host_view(), 6), 0U);
    EXPECT_EQ(ring_->landed(), 0);
    auto [slot, back] = copy_async(stream_, std::move(to), take(host_)).land(late());
    EXPECT_EQ(wrong_bytes(back.host_view(), 6), 0U);
    EXPECT_EQ(ring_->landed(), 0);
  }
  EXPECT_EQ(ring_->landed(), 1);
}

TEST_P(LeaseTest, DroppedInFlightItComesBackWhenTheCopyIsDone) {
  static_cast<void>(copy_async(stream_, take_written(host_, 1), ring_->lend()));
  EXPECT_TRUE(comes_true([&] { return ring_->landed() == 1; }));
}

TEST_P(LeaseTest, ComesBackPoisonedFromACopyThatFailed) {
  launch(stream_, [] { throw Error(ErrorKind::internal, "no power"); });
  {
    auto copy = copy_async(stream_, take_written(host_, 1), ring_->lend());
    expect_error(ErrorKind::internal, "no power", [&] { static_cast<void>(std::move(copy).land(late())); });
  }
  EXPECT_TRUE(comes_true([&] { return ring_->poisoned() == 1; }));
  EXPECT_EQ(ring_->landed(), 0);
  EXPECT_TRUE(device_.drain(late()));
  EXPECT_EQ(host_.free_count(), 2U);
}

TEST_P(LeaseTest, KeepsItsHomeAlive) {
  Landed<Lease<TestSlot>> lease = ring_->lend();
  const std::weak_ptr<TestRing> watch = ring_;
  ring_.reset();
  write(lease.host_view(), 1);
  {
    const Landed<Lease<TestSlot>> last = std::move(lease);
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace dflash
