#include "deploy/cli/dry_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "common/base/error.h"
#include "common/device/cuda_memory.h"
#include "common/plan/link_plan.h"
#include "common/plan/memory_plan.h"
#include "common/plan/run_device.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// Bytes that checkpoints of run.dir may take: what is free, and what those that lie there take already.
int64_t bytes_for_checkpoints(const fs::path& run_dir) {
  fs::path existing = fs::absolute(run_dir);
  std::error_code error;
  while (!fs::exists(existing, error) && existing.has_relative_path()) existing = existing.parent_path();
  auto bytes = static_cast<int64_t>(fs::space(existing, error).available);
  if (error) return INT64_MAX;  // not known: the run itself will tell
  for (fs::recursive_directory_iterator entry(run_dir / "checkpoints", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable)) bytes += static_cast<int64_t>(entry->file_size(unreadable));
  }
  return bytes;
}

std::vector<std::string> check_size(const RunConfig& config, const MemoryPlan& memory) {
  std::vector<std::string> notes =
      check_memory_plan(memory, read_machine_facts().memory_bytes, bytes_for_checkpoints(config.run().dir()));
  if (config.run().device() != RunSection::cuda) return notes;
  std::ranges::move(check_gpu_memory(memory, cuda_memory_bytes()), std::back_inserter(notes));
  return notes;
}

}  // namespace

RoleMap cast_of(const RunPlan& plan) {
  std::vector<Role> roles = {Role::coordinator};
  roles.insert(roles.end(), static_cast<size_t>(plan.targets), Role::target);
  roles.insert(roles.end(), static_cast<size_t>(plan.drafters), Role::drafter);
  return {roles, 0};
}

void print_dry_run(const RunConfig& config, const RunPlan& plan) {
  std::printf("device   %s\n", describe_run_device(config.run()).c_str());
  std::printf("%s%s", describe_run_plan(plan).c_str(), describe_links(config, cast_of(plan)).c_str());
  print_memory(config, plan);
}

void print_memory(const RunConfig& config, const RunPlan& plan) {
  const MemoryPlan memory = make_memory_plan(config, plan);
  std::printf("%s", describe_memory_plan(memory).c_str());
  for (const std::string& line : check_size(config, memory)) std::printf("note     %s\n", line.c_str());
}

}  // namespace dflash
