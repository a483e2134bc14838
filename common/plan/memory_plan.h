// MemoryPlan: what a run takes of memory and disk, from the settings and the headers of the model's files, before any
// of it is allocated. run_memory.h says and checks it for a run.
//
//   const MemoryPlan memory = make_memory_plan(config, plan);
//   out << describe_memory_plan(memory);
//   for (const std::string& line : check_memory_plan(memory, machine_bytes, free_disk_bytes)) warn(line);
//
// Parts are certain (sizes follow from shapes) or estimates; only certain ones refuse a run. The programs' own code is
// not counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/plan/run_plan.h"

namespace dflash {

struct MemoryPart {
  std::string what;      // "weights"
  std::string key;       // the setting that lowers it
  int64_t bytes = 0;     // of one process
  bool certain = false;  // else an estimate, or an upper bound
  bool on_gpu = false;   // of the GPU's memory, not of the node's
};

/// One role: what each of its processes takes.
struct RoleMemory {
  std::string role;  // "target"
  int64_t processes = 0;
  std::vector<MemoryPart> parts;

  [[nodiscard]] int64_t bytes() const;  // of one process, estimates included
};

struct MemoryPlan {
  RoleMemory target, drafter, coordinator;
  RoleMemory channels;           // the slots of one link, at both ends; "processes" are the links
  int64_t checkpoint_bytes = 0;  // one checkpoint, without the few KiB of facts beside the tensors
  int64_t checkpoints = 0;       // most on the disk at once: step 0, the newest two, and one that is being written
};

/// Reads config.target().model's headers and the sizes of data.files. Error{input_file} for one that is missing.
[[nodiscard]] MemoryPlan make_memory_plan(const RunConfig& config, const RunPlan& plan);

/// Bytes of the drafter, its config.json and the optimizer's moments, as they are written.
[[nodiscard]] int64_t drafter_checkpoint_bytes(const DrafterConfig& config);

/// Bytes of each role and its parts, channels and checkpoints, as lines for a person.
[[nodiscard]] std::string describe_memory_plan(const MemoryPlan& plan);

/// For a run whose processes all run on one node of `memory_bytes`, with `free_disk_bytes` at run.dir. Error{config}
/// naming the largest part and its key when the memory cannot hold what is certain, {no_space} when the disk cannot
/// hold the checkpoints. Returns a line when the memory may not suffice for the estimates too.
[[nodiscard]] std::vector<std::string> check_memory_plan(const MemoryPlan& plan, int64_t memory_bytes,
                                                         int64_t free_disk_bytes);

/// The same for the GPUs of that node, of these sizes, which its workers take in turn: targets first, then drafters
/// (place_on_node). Error{config} when one of them cannot hold what is certain.
[[nodiscard]] std::vector<std::string> check_gpu_memory(const MemoryPlan& plan, const std::vector<int64_t>& gpu_bytes);

}  // namespace dflash
