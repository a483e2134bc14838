#include "deploy/cli/dry_run.h"

#include <cstdio>

#include "common/plan/link_plan.h"
#include "common/plan/run_device.h"
#include "common/plan/run_memory.h"

namespace dflash {

RoleMap cast_of(const RunPlan& plan) {
  std::vector<Role> roles = {Role::coordinator};
  roles.insert(roles.end(), static_cast<size_t>(plan.targets), Role::target);
  roles.insert(roles.end(), static_cast<size_t>(plan.drafters), Role::drafter);
  return {roles, 0};
}

void print_dry_run(const RunConfig& config, const RunPlan& plan) {
  const RoleMap roles = cast_of(plan);
  std::printf("device   %s\n", describe_run_device(config.run()).c_str());
  std::printf("%s%s%s", describe_run_plan(plan).c_str(), describe_links(config, roles).c_str(),
              describe_run_memory(config, plan, roles).c_str());
}

}  // namespace dflash
