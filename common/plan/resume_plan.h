// What --resume means: from which checkpoint a run goes on, with which settings, and what its folder must become.
//
//   const ResumePlan resume = plan_resume("auto", config, drafters);   // refuses, or adapts `config`
//   check_resumed_facts(*resume.point, data_hash, ...);                // once the data is read
//   prepare_run_folder(resume, config.run().dir());                    // the coordinator alone: changes the disk
//
// Threading: one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proto/run_config.pb.h"

namespace dflash {

/// A whole checkpoint, and what its run knew.
struct ResumePoint {
  std::filesystem::path folder;  // of the checkpoint
  int64_t step = 0;              // optimizer steps done; equal to total_steps when the run was complete
  int64_t next_sequence = 0;     // first batch that is not trained yet
  int64_t total_steps = 0;
  std::string data_hash;    // hash_hex
  std::string layout_hash;  // hash_hex
};

struct ResumePlan {
  std::optional<ResumePoint> point;  // none: the run begins, with auto perhaps in the folder of one that had none yet
  std::vector<std::string> notices;  // lines for a person
};

/// `resume`: "" (no --resume: run.dir must be new), "auto" (the newest whole checkpoint of run.dir; a run that has none
/// yet begins), a step (that checkpoint of run.dir), or a checkpoint's folder, also of another run when run.dir is new.
/// Adapts `config` as take_over_settings does. Changes nothing on the disk.
///
/// Error{checkpoint} for a checkpoint that is not whole, or when auto finds none among several; {config} for settings
/// that would alter the run, or a run.dir that cannot be used.
[[nodiscard]] ResumePlan plan_resume(const std::string& resume, RunConfig& config, int drafters);

/// Error{config} when data, layout or number of steps are not those of the run that made the checkpoint.
void check_resumed_facts(const ResumePoint& point, uint64_t data_hash, uint64_t layout_hash, int64_t total_steps);

/// Brings run.dir back to the point's step (or to the beginning): later checkpoints are set aside, what a killed run
/// left half-written is removed, metrics.jsonl is cut. Returns a line for each checkpoint that was set aside. Doing it
/// twice changes nothing more.
std::vector<std::string> prepare_run_folder(const ResumePlan& plan, const std::filesystem::path& run_dir);

}  // namespace dflash
