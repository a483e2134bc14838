// Which GPU a worker takes, where the CUDA runtime is simulated (tests/device/fake_cuda.h).
#include "common/nccl/nccl_built.h"
#include "common/plan/link_check.h"
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

struct RunLinksTest : RunGpusTest {
  RunLinksTest() {
    config.mutable_pipeline()->set_channel(PipelineSection::nccl);
    config.mutable_run()->set_device(RunSection::cuda);
  }
  [[nodiscard]] static RoleMap cast(int targets) {
    std::vector<Role> roles = {Role::coordinator};
    roles.insert(roles.end(), static_cast<size_t>(targets), Role::target);
    roles.push_back(Role::drafter);
    return {roles, 0};
  }
  RunConfig config;
};

TEST_F(RunLinksTest, NcclIsRefusedWhereTheBuildHasNone) {
  if (built_with_nccl()) GTEST_SKIP() << "this build has it";
  fake_cuda::set_devices(4);
  expect_error(ErrorKind::config, "this build has no NCCL", [&] { check_links(config, cast(1)); });
  config.mutable_pipeline()->set_channel(PipelineSection::mpi);
  EXPECT_NO_THROW(check_links(config, cast(1)));
}

TEST_F(RunLinksTest, NcclIsRefusedBetweenWorkersThatShareAGpu) {
  if (!built_with_nccl()) GTEST_SKIP() << "refused before that";
  fake_cuda::set_devices(2);
  EXPECT_NO_THROW(check_links(config, cast(1)));
  const Error error = error_of([&] { check_links(config, cast(2)); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {"target 0 (rank 1)", "drafter 0 (rank 3)", "share GPU 0", "use auto or pinned_host"}));
  config.mutable_pipeline()->set_channel(PipelineSection::auto_);
  EXPECT_NO_THROW(check_links(config, cast(2)));
}

TEST_F(RunLinksTest, OfAnotherNodeNobodyHereCountsTheGpus) {
  if (!built_with_nccl()) GTEST_SKIP() << "refused before that";
  const std::vector<RankFacts> ranks = {{.role = Role::coordinator, .node_id = 1},
                                        {.role = Role::target, .node_id = 2},
                                        {.role = Role::drafter, .node_id = 2}};
  EXPECT_NO_THROW(check_links(config, RoleMap(ranks, 0)));
  expect_error(ErrorKind::config, "share GPU 0", [&] { check_links(config, RoleMap(ranks, 2)); });
}

}  // namespace
}  // namespace dflash
