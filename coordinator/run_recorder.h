// RunRecorder: the folder of a run.
//
//   run.toml        the resolved settings, ready to be used again
//   run.json        what was known when the run started
//   metrics.jsonl   one line per optimizer step, written at once
//   logs/           one file per rank
//   checkpoints/    see common/checkpoint/checkpoint_store.h
//
// Threading: one thread. Errors: Error{no_space} and {checkpoint} as in common/base/file.h.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/base/json.h"
#include "coordinator/step_metrics.h"

namespace dflash {

class RunRecorder {
 public:
  /// Makes the folder with all but the metrics lines in it; in the folder of a resumed run (see prepare_run_folder) the
  /// metrics are continued.
  RunRecorder(std::filesystem::path folder, const std::string& settings_toml, const Json& facts);
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  void record(const StepMetrics& metrics);

  /// What every checkpoint also holds, to be resumed from: path in the checkpoint, content.
  [[nodiscard]] const std::map<std::string, std::string>& checkpoint_facts() const { return checkpoint_facts_; }
  [[nodiscard]] std::filesystem::path logs_folder() const { return folder_ / "logs"; }
  [[nodiscard]] std::filesystem::path checkpoints_folder() const { return folder_ / "checkpoints"; }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> checkpoint_facts_;
  int metrics_file_ = -1;
};

}  // namespace dflash
