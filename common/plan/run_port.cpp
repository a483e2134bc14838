#include "common/plan/run_port.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/channel/byte_link_messages.h"
#include "common/nccl/nccl_transport.h"
#include "common/plan/link_check.h"
#include "common/plan/link_plan.h"

namespace dflash {
namespace {

bool needs_port(const RunConfig& config, const RoleMap& roles) {
  const int own = roles.own_rank();
  if (roles.own_role() == Role::coordinator) return false;
  const bool sends = roles.own_role() == Role::target;
  const std::vector<int> peers = roles.ranks_of(sends ? Role::drafter : Role::target);
  return std::any_of(peers.begin(), peers.end(), [&](int peer) {
    return link_kind(config, roles, sends ? own : peer, sends ? peer : own) == ChannelKind::nccl;
  });
}

std::chrono::nanoseconds patience_of(const RunConfig& config) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(config.run().stall_timeout_s()));
}

}  // namespace

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
