#include "common/plan/link_plan.h"

#include <set>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/nccl/nccl_built.h"

namespace dflash {
namespace {

std::string reason(const RunConfig& config, bool one_node) {
  if (config.pipeline().channel() != PipelineSection::auto_) return "pipeline.channel";
  if (!one_node && config.run().device() == RunSection::cuda) {
    return built_with_nccl() ? "auto: two nodes, batches on GPUs" : "auto: two nodes, and this build has no NCCL";
  }
  if (!one_node) return "auto: two nodes";
  return config.run().device() == RunSection::cpu ? "auto: one node" : "auto: one node, batches on devices";
}

ChannelKind on_one_node(ChannelKind kind, const RoleMap& roles, int target_rank, int drafter_rank) {
  if (roles.same_node(target_rank, drafter_rank)) return kind;
  throw Error(ErrorKind::config,
              format("pipeline.channel = {}, but {} and {} are on different nodes; use auto or mpi",
                     channel_kind_name(kind), roles.describe(target_rank), roles.describe(drafter_rank)));
}

}  // namespace

RunPlan plan_of_run(const RunConfig& config, const RoleMap& roles) {
  return make_run_plan(config, read_model_config(config.target().model()), roles.count(Role::target),
                       roles.count(Role::drafter), read_machine_facts());
}

ChannelKind automatic_kind(bool one_node, RunSection::DeviceChoice device, bool with_nccl) {
  if (one_node) return device == RunSection::cpu ? ChannelKind::shm : ChannelKind::pinned_host;
  return device == RunSection::cuda && with_nccl ? ChannelKind::nccl : ChannelKind::mpi;
}

ChannelKind link_kind(const RunConfig& config, const RoleMap& roles, int target_rank, int drafter_rank) {
  switch (config.pipeline().channel()) {
    case PipelineSection::mpi:
      return ChannelKind::mpi;
    case PipelineSection::shm:
      return on_one_node(ChannelKind::shm, roles, target_rank, drafter_rank);
    case PipelineSection::pinned_host:
      return on_one_node(ChannelKind::pinned_host, roles, target_rank, drafter_rank);
    case PipelineSection::nccl:
      return ChannelKind::nccl;
    case PipelineSection::auto_:
      return automatic_kind(roles.same_node(target_rank, drafter_rank), config.run().device(), built_with_nccl());
  }
  throw Error(ErrorKind::internal, "there is no such pipeline.channel");
}

ChannelShape link_shape(const RunPlan& plan, ChannelKind kind) {
  return {.slot_bytes = plan.layout.slot_bytes,
          .slot_count = static_cast<size_t>(plan.slots_per_link),
          .layout_hash = plan.layout.hash(),
          .payload_checksum = kind == ChannelKind::mpi || kind == ChannelKind::nccl};
}

std::string describe_links(const RunConfig& config, const RoleMap& roles) {
  if (roles.count(Role::target) == 0) {
    return format("links    {} drafter(s), each reads its batches from the recorded folder\n",
                  roles.count(Role::drafter));
  }
  std::set<std::string> kinds;
  std::string lines;
  for (const int target : roles.ranks_of(Role::target)) {
    for (const int drafter : roles.ranks_of(Role::drafter)) {
      const ChannelKind kind = link_kind(config, roles, target, drafter);
      const std::string text =
          format("{} ({})", channel_kind_name(kind), reason(config, roles.same_node(target, drafter)));
      kinds.insert(text);
      lines += format("{}{} -> {}: {}\n", lines.empty() ? "links    " : "         ", roles.describe(target),
                      roles.describe(drafter), text);
    }
  }
  if (kinds.size() > 1) return lines;
  return format("links    {} target(s) x {} drafter(s), all {}\n", roles.count(Role::target),
                roles.count(Role::drafter), *kinds.begin());
}

}  // namespace dflash
