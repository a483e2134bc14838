// RunRecorder: the folder of a run.
//
//   run.toml        the resolved settings, ready to be used again
//   run.json        what was known when the run started
//   metrics.jsonl   one line per optimizer step, written at once
//   logs/           one file per rank
//   checkpoints/    see common/checkpoint/checkpoint_store.h
//
// Threading: one thread. Errors: Error{config} for a folder that holds something; {no_space} and {checkpoint} as in
// common/base/file.h.
#pragma once

#include <filesystem>

#include "common/base/json.h"
#include "coordinator/step_metrics.h"

namespace dflash {

class RunRecorder {
 public:
  /// Makes the folder with all but the metrics lines in it.
  RunRecorder(std::filesystem::path folder, const std::string& settings_toml, const Json& facts);
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  void record(const StepMetrics& metrics);

  [[nodiscard]] std::filesystem::path logs_folder() const { return folder_ / "logs"; }
  [[nodiscard]] std::filesystem::path checkpoints_folder() const { return folder_ / "checkpoints"; }

 private:
  std::filesystem::path folder_;
  int metrics_file_ = -1;
};

}  // namespace dflash
