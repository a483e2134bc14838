#include "common/device/cuda_devices.h"

#include "tests/device/device_kinds.h"

namespace dflash {
namespace {

TEST(CudaDevices, ACountOrAReason) {
  const CudaDevices devices = cuda_devices();
  EXPECT_GE(devices.count, 0);
  EXPECT_EQ(devices.why_none.empty(), devices.count > 0) << devices.why_none;
}

TEST(CudaDevices, TheSuiteIsTriedOnAGpuToo) {
  if (cuda_devices().count == 0) GTEST_SKIP() << "the suite is not tried on cuda: " << cuda_devices().why_none;
  EXPECT_EQ(every_device().back().name, "cuda");
}

TEST(CudaDevices, EachRankOfANodeTakesItsOwn) {
  for (int rank = 0; rank < 4; ++rank) {
    const CudaChoice choice = choose_cuda_device(rank, 4, 8);
    EXPECT_EQ(choice.ordinal, rank);
    EXPECT_EQ(choice.text.find("share"), std::string::npos) << choice.text;
  }
  EXPECT_EQ(choose_cuda_device(2, 4, 8).text, "GPU 2 of 8, rank 2 of 4 on this node");
}

TEST(CudaDevices, MoreRanksThanGpusShareThemInTurn) {
  const int expected_ordinals[] = {0, 1, 2, 0, 1};
  const char* expected_shares[] = {"2 ranks", "2 ranks", "", "2 ranks", "2 ranks"};
  for (int rank = 0; rank < 5; ++rank) {
    const CudaChoice choice = choose_cuda_device(rank, 5, 3);
    EXPECT_EQ(choice.ordinal, expected_ordinals[rank]);
    EXPECT_NE(choice.text.find(expected_shares[rank]), std::string::npos) << choice.text;
    EXPECT_EQ(choice.text.find("share") != std::string::npos, rank != 2) << choice.text;
  }
  EXPECT_EQ(choose_cuda_device(6, 7, 1).text, "GPU 0 of 1, rank 6 of 7 on this node; 7 ranks share it");
}

TEST(CudaDevices, WithoutAGpuNoRankHasOne) {
  expect_error(ErrorKind::config, "3 ranks on this node and no GPU",
               [] { static_cast<void>(choose_cuda_device(0, 3, 0)); });
  expect_error(ErrorKind::internal, "rank 3 of 3", [] { static_cast<void>(choose_cuda_device(3, 3, 1)); });
}

}  // namespace
}  // namespace dflash
