#include "common/plan/run_port.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/channel/byte_link_messages.h"
#include "common/nccl/nccl_transport.h"
#include "common/plan/link_plan.h"

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

bool needs_port(const RunConfig& config, const RoleMap& roles) {
  const int own = roles.own_rank();
  const std::vector<LinkRanks> links = nccl_links(config, roles);
  return std::any_of(links.begin(), links.end(),
                     [own](const LinkRanks& link) { return link.target == own || link.drafter == own; });
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

std::chrono::nanoseconds patience_of(const RunConfig& config) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(config.run().stall_timeout_s()));
}

}  // namespace

void check_links(const RunConfig& config, const RoleMap& roles) {
  const std::vector<LinkRanks> links = nccl_links(config, roles);
  if (links.empty()) return;
  static_cast<void>(check_nccl_library());
  for (const LinkRanks& link : links) check_gpus(roles, link);
}

MakeTransport nccl_transports(const RoleMap& roles, int cuda_ordinal) {
  return [&roles, cuda_ordinal](Bootstrap& line, int rank, bool makes_id, Deadline deadline) {
    return make_nccl_transport(line, makes_id, cuda_ordinal, roles.describe(rank), deadline);
  };
}

std::unique_ptr<NcclPort> make_run_port(const RunConfig& config, const RoleMap& roles, ByteLink& messages,
                                        Device& device, const RunPlace& place) {
  if (!needs_port(config, roles)) return nullptr;
  check_links(config, roles);
  log_info(check_nccl_library());
  return make_run_port(config, roles, messages, device, nccl_transports(roles, place.cuda_ordinal));
}

std::unique_ptr<NcclPort> make_run_port(const RunConfig& config, const RoleMap& roles, ByteLink& messages,
                                        Device& device, MakeTransport make_transport) {
  if (!needs_port(config, roles)) return nullptr;
  const NcclPortSettings settings{.slot_memory = MemoryKind::pinned, .patience = patience_of(config)};
  return std::make_unique<NcclPort>(device, std::make_unique<ByteLinkMessages>(messages), std::move(make_transport),
                                    settings);
}

}  // namespace dflash
