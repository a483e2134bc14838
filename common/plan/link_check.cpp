#include "common/plan/link_check.h"

#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/nccl/nccl_built.h"
#include "common/plan/link_plan.h"
#include "common/plan/run_device.h"

namespace dflash {
namespace {

struct LinkRanks {
  int target;
  int drafter;
};

std::vector<LinkRanks> nccl_links(const RunConfig& config, const RoleMap& roles) {
  std::vector<LinkRanks> links;
  for (const int target : roles.ranks_of(Role::target)) {
    for (const int drafter : roles.ranks_of(Role::drafter)) {
      if (link_kind(config, roles, target, drafter) == ChannelKind::nccl) links.push_back({target, drafter});
    }
  }
  return links;
}

/// Of another node nobody here knows how many GPUs it has: its ranks check it.
void check_gpus(const RoleMap& roles, const LinkRanks& link) {
  const int own = roles.own_rank();
  if (!roles.same_node(link.target, own) || !roles.same_node(link.drafter, own)) return;
  const int gpu = gpu_of(roles, link.target).ordinal;
  if (gpu_of(roles, link.drafter).ordinal != gpu) return;
  throw Error(
      ErrorKind::config,
      format("pipeline.channel = nccl, but {} and {} share GPU {}, and NCCL joins different ones only: use auto "
             "or pinned_host, or start fewer workers",
             roles.describe(link.target), roles.describe(link.drafter), gpu));
}

}  // namespace

void check_links(const RunConfig& config, const RoleMap& roles) {
  const std::vector<LinkRanks> links = nccl_links(config, roles);
  if (links.empty()) return;
  need_nccl_build();
  for (const LinkRanks& link : links) check_gpus(roles, link);
}

}  // namespace dflash
