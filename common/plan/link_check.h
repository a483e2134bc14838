// Whether the links of a run can be made where its ranks are: what link_plan.h decides from the settings alone.
#pragma once

#include "common/mpi/role_map.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// Before anything is started, and again at each worker. Error{config} as link_kind, and where a link is to be nccl:
/// when this build has none, or when both its ends are on this node and would take the same GPU, which NCCL refuses.
/// Threading: any thread.
void check_links(const RunConfig& config, const RoleMap& roles);

}  // namespace dflash
