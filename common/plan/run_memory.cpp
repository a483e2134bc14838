#include "common/plan/run_memory.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "common/base/format.h"
#include "common/device/cuda_memory.h"
#include "common/plan/memory_plan.h"

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

bool all_on_this_node(const RoleMap& roles) {
  return std::ranges::all_of(roles.workers(), [&](int rank) { return roles.same_node(rank, roles.own_rank()); });
}

}  // namespace

std::string describe_run_memory(const RunConfig& config, const RunPlan& plan, const RoleMap& roles) {
  const MemoryPlan memory = make_memory_plan(config, plan);
  std::string text = describe_memory_plan(memory);
  if (!all_on_this_node(roles)) return text;
  for (const std::string& line : check_size(config, memory)) text += format("note     {}\n", line);
  return text;
}

}  // namespace dflash
