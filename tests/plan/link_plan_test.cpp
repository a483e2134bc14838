#include "common/plan/link_plan.h"

#include <gtest/gtest.h>

#include "common/nccl/nccl_built.h"
#include "tests/plan/plan_inputs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

RunConfig with_channel(PipelineSection::ChannelChoice channel) {
  RunConfig config;
  config.mutable_pipeline()->set_channel(channel);
  return config;
}

/// Coordinator, two targets and a drafter of node a; the drafter of rank 4 is on node b.
RoleMap two_nodes() {
  return {{{Role::coordinator, "a", 7},
           {Role::target, "a", 7},
           {Role::target, "a", 7},
           {Role::drafter, "a", 7},
           {Role::drafter, "b", 8}},
          0};
}

RoleMap one_node() {
  return {{Role::coordinator, Role::target, Role::target, Role::drafter, Role::drafter}, 0};
}

TEST(LinkPlan, AutoIsSharedMemoryWhereBothEndsAreOnOneNode) {
  const RunConfig config = with_channel(PipelineSection::auto_);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::shm);
  EXPECT_EQ(link_kind(config, two_nodes(), 2, 3), ChannelKind::shm);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 4), ChannelKind::mpi);
  EXPECT_EQ(link_kind(RunConfig(), two_nodes(), 1, 4), ChannelKind::mpi) << "auto is what is not set";
}

TEST(LinkPlan, AutoIsPinnedMemoryWhereBatchesLiveOnDevices) {
  RunConfig config = with_channel(PipelineSection::auto_);
  config.mutable_run()->set_device(RunSection::sim);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::pinned_host);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 4), ChannelKind::mpi);
  EXPECT_EQ(describe_links(config, one_node()),
            "links    2 target(s) x 2 drafter(s), all pinned_host (auto: one node, batches on devices)\n");
  config.mutable_pipeline()->set_channel(PipelineSection::shm);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::shm) << "what is set by hand is obeyed";
}

TEST(LinkPlan, AutoIsNcclBetweenNodesThatComputeOnGpus) {
  EXPECT_EQ(automatic_kind(false, RunSection::cuda, true), ChannelKind::nccl);
  EXPECT_EQ(automatic_kind(false, RunSection::cuda, false), ChannelKind::mpi) << "the build has no NCCL";
  EXPECT_EQ(automatic_kind(true, RunSection::cuda, true), ChannelKind::pinned_host);
  EXPECT_EQ(automatic_kind(false, RunSection::sim, true), ChannelKind::mpi);
  EXPECT_EQ(automatic_kind(false, RunSection::cpu, true), ChannelKind::mpi);
  RunConfig config = with_channel(PipelineSection::auto_);
  config.mutable_run()->set_device(RunSection::cuda);
  const std::string between = built_with_nccl() ? "nccl (auto: two nodes, batches on GPUs)"
                                                : "mpi (auto: two nodes, and this build has no NCCL)";
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::pinned_host);
  EXPECT_NE(describe_links(config, two_nodes()).find("drafter 1 (rank 4, host b): " + between + "\n"),
            std::string::npos)
      << describe_links(config, two_nodes());
}

TEST(LinkPlan, NcclIsObeyedEverywhere) {
  RunConfig config = with_channel(PipelineSection::nccl);
  config.mutable_run()->set_device(RunSection::cuda);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::nccl);
  EXPECT_EQ(describe_links(config, two_nodes()), "links    2 target(s) x 2 drafter(s), all nccl (pipeline.channel)\n");
}

TEST(LinkPlan, MpiIsObeyedEverywhere) {
  const RunConfig config = with_channel(PipelineSection::mpi);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::mpi);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 4), ChannelKind::mpi);
}

TEST(LinkPlan, PinnedMemoryAcrossNodesIsRefusedByName) {
  RunConfig config = with_channel(PipelineSection::pinned_host);
  config.mutable_run()->set_device(RunSection::sim);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::pinned_host);
  const Error error = error_of([&] { (void)link_kind(config, two_nodes(), 2, 4); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {"pipeline.channel = pinned_host", "target 1 (rank 2, host a)", "drafter 1 (rank 4, host b)",
                           "use auto or mpi"}));
}

TEST(LinkPlan, SharedMemoryAcrossNodesIsRefusedByName) {
  const RunConfig config = with_channel(PipelineSection::shm);
  EXPECT_EQ(link_kind(config, two_nodes(), 1, 3), ChannelKind::shm);
  const Error error = error_of([&] { (void)link_kind(config, two_nodes(), 2, 4); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(
      error, {"pipeline.channel = shm", "target 1 (rank 2, host a)", "drafter 1 (rank 4, host b)", "use auto or mpi"}));
  expect_error(ErrorKind::config, "drafter 1 (rank 4, host b)", [&] { (void)describe_links(config, two_nodes()); });
}

TEST(LinkPlan, ChecksumsAreOnWhereBytesLeaveTheNode) {
  const RunPlan plan = make_run_plan(small_config(), small_target(), 2, 2, kMachine);
  const ChannelShape shared = link_shape(plan, ChannelKind::shm), sent = link_shape(plan, ChannelKind::mpi);
  EXPECT_FALSE(shared.payload_checksum);
  EXPECT_FALSE(link_shape(plan, ChannelKind::pinned_host).payload_checksum);
  EXPECT_TRUE(sent.payload_checksum);
  EXPECT_TRUE(link_shape(plan, ChannelKind::nccl).payload_checksum);
  for (const ChannelShape& shape : {shared, sent}) {
    EXPECT_EQ(shape.slot_bytes, plan.layout.slot_bytes);
    EXPECT_EQ(shape.slot_count, 15u);  // 60 batches on 4 links
    EXPECT_EQ(shape.layout_hash, plan.layout.hash());
  }
}

TEST(LinkPlan, OneLineWhereAllLinksAreAlike) {
  EXPECT_EQ(describe_links(with_channel(PipelineSection::auto_), one_node()),
            "links    2 target(s) x 2 drafter(s), all shm (auto: one node)\n");
  EXPECT_EQ(describe_links(with_channel(PipelineSection::mpi), two_nodes()),
            "links    2 target(s) x 2 drafter(s), all mpi (pipeline.channel)\n");
  EXPECT_EQ(describe_links(with_channel(PipelineSection::shm), one_node()),
            "links    2 target(s) x 2 drafter(s), all shm (pipeline.channel)\n");
}

TEST(LinkPlan, ALinePerLinkWhereTheyDiffer) {
  EXPECT_EQ(describe_links(with_channel(PipelineSection::auto_), two_nodes()),
            "links    target 0 (rank 1, host a) -> drafter 0 (rank 3, host a): shm (auto: one node)\n"
            "         target 0 (rank 1, host a) -> drafter 1 (rank 4, host b): mpi (auto: two nodes)\n"
            "         target 1 (rank 2, host a) -> drafter 0 (rank 3, host a): shm (auto: one node)\n"
            "         target 1 (rank 2, host a) -> drafter 1 (rank 4, host b): mpi (auto: two nodes)\n");
}

}  // namespace
}  // namespace dflash
