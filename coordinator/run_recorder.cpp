#include "coordinator/run_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "common/base/file.h"
#include "common/base/format.h"
#include "common/plan/recorded_run.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_write_error(error.value(), format("cannot create {}", folder.string()));
}

}  // namespace

RunRecorder::RunRecorder(fs::path folder, const std::string& settings_toml, const Json& facts)
    : folder_(std::move(folder)),
      checkpoint_facts_{{kRecordedSettingsPath, settings_toml}, {kRecordedFactsPath, facts.dump(2) + "\n"}} {
  create_folder(logs_folder());
  create_folder(checkpoints_folder());
  write_file_atomic(folder_ / "run.toml", settings_toml);
  write_file_atomic(folder_ / "run.json", checkpoint_facts_.at(kRecordedFactsPath));
  const fs::path metrics = folder_ / "metrics.jsonl";
  metrics_file_ = open(metrics.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (metrics_file_ < 0) throw_write_error(errno, format("cannot create {}", metrics.string()));
}

RunRecorder::~RunRecorder() {
  close(metrics_file_);
}

void RunRecorder::record(const StepMetrics& metrics) {
  const std::string line = metrics_line(metrics) + "\n";
  write_all(metrics_file_, std::as_bytes(std::span(line)), folder_ / "metrics.jsonl");
}

}  // namespace dflash
