// Which GPU a worker takes, where the CUDA runtime is simulated (tests/device/fake_cuda.h).
#include "common/plan/run_device.h"
#include "tests/device/fake_cuda.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

struct RunGpusTest : testing::Test {
  ~RunGpusTest() override { fake_cuda::set_devices(1); }
  RunGpusTest() { settings.set_device(RunSection::cuda); }
  [[nodiscard]] int gpu_of(const std::vector<RankFacts>& ranks, int rank) const {
    return place_on_node(settings, RoleMap(ranks, rank)).cuda_ordinal;
  }
  RunSection settings;
};

TEST_F(RunGpusTest, TheWorkersOfANodeTakeThemInTurn) {
  fake_cuda::set_devices(2);
  const std::vector<RankFacts> ranks = {
      {.role = Role::coordinator, .node_id = 1}, {.role = Role::target, .node_id = 1},
      {.role = Role::target, .node_id = 2},      {.role = Role::target, .node_id = 1},
      {.role = Role::drafter, .node_id = 1},     {.role = Role::drafter, .node_id = 2}};
  EXPECT_EQ(gpu_of(ranks, 1), 0);
  EXPECT_EQ(gpu_of(ranks, 3), 1);
  EXPECT_EQ(gpu_of(ranks, 4), 0) << "the third of its node";
  EXPECT_EQ(gpu_of(ranks, 2), 0) << "the first of the other node";
  EXPECT_EQ(gpu_of(ranks, 5), 1);
  EXPECT_NE(place_on_node(settings, RoleMap(ranks, 4)).text.find("2 ranks share it"), std::string::npos);
  EXPECT_EQ(describe_run_device(settings), "cuda: 2 GPU(s) here, shared by the workers in turn");
}

TEST_F(RunGpusTest, NoneIsRefused) {
  fake_cuda::set_devices(0);
  expect_error(ErrorKind::config, "no GPU can be used here: CUDA sees no GPU", [&] { check_run_device(settings); });
}

}  // namespace
}  // namespace dflash
