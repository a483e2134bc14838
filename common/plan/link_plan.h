// The links of a run: a channel from every target to every drafter. Both ends make theirs from this.
#pragma once

#include <string>

#include "common/channel/channel_kind.h"
#include "common/mpi/role_map.h"
#include "common/plan/run_plan.h"

namespace dflash {

/// The plan as every rank makes it from the settings that the coordinator sent.
[[nodiscard]] RunPlan plan_of_run(const RunConfig& config, const RoleMap& roles);

/// What auto gives for a link: shm or pinned_host on one node; else nccl where both ends compute on GPUs and the build
/// has it, or mpi.
[[nodiscard]] ChannelKind automatic_kind(bool one_node, RunSection::DeviceChoice device, bool with_nccl);

/// What pipeline.channel gives for the link between these two ranks. Error{config} when it is shm or pinned_host and
/// they are on different nodes. Whether nccl can be had: check_links (link_check.h).
[[nodiscard]] ChannelKind link_kind(const RunConfig& config, const RoleMap& roles, int target_rank, int drafter_rank);

/// Slots and layout of a link; payload checksums are on where bytes leave the memory of one node.
[[nodiscard]] ChannelShape link_shape(const RunPlan& plan, ChannelKind kind);

/// One line for a person: "links    2 targets x 1 drafter: all shm (auto: one node)", or a line for each link where
/// they differ. Error{config} as link_kind.
[[nodiscard]] std::string describe_links(const RunConfig& config, const RoleMap& roles);

}  // namespace dflash
