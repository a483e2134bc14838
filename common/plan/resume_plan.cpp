#include "common/plan/resume_plan.h"

#include <charconv>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/checkpoint/checkpoint_names.h"
#include "common/checkpoint/checkpoint_store.h"
#include "common/checkpoint/run_folder.h"
#include "common/plan/recorded_run.h"
#include "common/plan/resume_settings.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

fs::path checkpoints_of(const fs::path& run_dir) {
  return run_dir / "checkpoints";
}

/// The step when the text is nothing but a number.
std::optional<int64_t> number_of(const std::string& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool whole = !text.empty() && error == std::errc() && stop == end && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

/// A folder that is neither new nor a run's is somebody else's.
void check_holds_a_run(const fs::path& run_dir) {
  std::error_code unreadable;
  if (is_new_run_folder(run_dir) || fs::is_directory(checkpoints_of(run_dir), unreadable)) return;
  throw Error(ErrorKind::config, format("run folder {} is not empty, but holds no run to resume (no folder checkpoints "
                                        "in it); choose another run.dir",
                                        run_dir.string()));
}

/// The folder of the newest whole checkpoint; none when there is no checkpoint at all.
std::optional<fs::path> choose_newest(const fs::path& run_dir, std::vector<std::string>& notices) {
  check_holds_a_run(run_dir);
  const CheckpointStore store(checkpoints_of(run_dir));
  const NewestWhole newest = store.newest_whole();
  if (!newest.step && !newest.passed_over.empty()) {
    throw Error(ErrorKind::checkpoint, format("no checkpoint in {} is whole: {}", checkpoints_of(run_dir).string(),
                                              join(newest.passed_over, "; ")));
  }
  for (const std::string& reason : newest.passed_over) notices.push_back(format("passed over: {}", reason));
  if (newest.step) return store.final_folder(*newest.step);
  notices.push_back(format("nothing to resume: {} holds no checkpoint, the run begins", run_dir.string()));
  return std::nullopt;
}

/// Checkpoints of this run go on in its folder, others need a new one.
void check_folder_fits(const fs::path& folder, int64_t step, const fs::path& run_dir) {
  std::error_code unreadable;
  const bool own =
      folder.filename() == step_name(step) && fs::equivalent(folder.parent_path(), checkpoints_of(run_dir), unreadable);
  if (own || is_new_run_folder(run_dir)) return;
  throw Error(ErrorKind::config, format("{} is no checkpoint of the run in {}; to begin a run with it choose a run.dir "
                                        "that is new or empty",
                                        folder.string(), run_dir.string()));
}

/// As a path without a trailing slash, so that it has a name.
fs::path named_folder(const std::string& text) {
  const fs::path folder = fs::absolute(text).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();
}

ResumePoint read_point(const fs::path& folder, RunConfig& config, int drafters, std::vector<std::string>& notices) {
  const CheckpointManifest manifest = verify_checkpoint(folder);
  if (step_of(folder.filename().string()).value_or(manifest.step()) != manifest.step()) {
    throw Error(ErrorKind::checkpoint, format("{}: its manifest is of step {}", folder.string(), manifest.step()));
  }
  const RecordedRun recorded = read_recorded_run(folder, manifest);
  check_folder_fits(folder, manifest.step(), config.run().dir());
  for (std::string& notice : take_over_settings(recorded, config, drafters)) notices.push_back(std::move(notice));
  if (manifest.step() == recorded.total_steps) {
    notices.push_back(format("the run is complete: {} is its last checkpoint", folder.string()));
  }
  return {folder,
          manifest.step(),
          manifest.next_sequence(),
          recorded.total_steps,
          recorded.data_hash,
          recorded.layout_hash};
}

}  // namespace

ResumePlan plan_resume(const std::string& resume, RunConfig& config, int drafters) {
  const fs::path run_dir = config.run().dir();
  if (resume.empty()) {
    check_run_folder(run_dir);
    return {};
  }
  ResumePlan plan;
  std::optional<fs::path> folder;
  if (resume == "auto") {
    folder = choose_newest(run_dir, plan.notices);
  } else if (const std::optional<int64_t> step = number_of(resume)) {
    folder = CheckpointStore(checkpoints_of(run_dir)).final_folder(*step);
  } else {
    folder = named_folder(resume);
  }
  if (folder) plan.point = read_point(*folder, config, drafters, plan.notices);
  return plan;
}

void check_resumed_facts(const ResumePoint& point, uint64_t data_hash, uint64_t layout_hash, int64_t total_steps) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::config, format("{}; {} cannot be resumed so", why, point.folder.string()));
  };
  if (hash_hex(data_hash) != point.data_hash) {
    refuse(format("data.files or data.recorded hold other batches than when the checkpoint was made (hash {}, was {})",
                  hash_hex(data_hash), point.data_hash));
  }
  if (hash_hex(layout_hash) != point.layout_hash) {
    refuse(
        format("target.model is another than when the checkpoint was made: its batches are laid out differently "
               "(hash {}, was {})",
               hash_hex(layout_hash), point.layout_hash));
  }
  if (total_steps != point.total_steps) {
    refuse(format("train.epochs gives {} steps, but {} when the checkpoint was made", total_steps, point.total_steps));
  }
}

std::vector<std::string> prepare_run_folder(const ResumePlan& plan, const fs::path& run_dir) {
  std::vector<std::string> lines;
  const int64_t step = plan.point ? plan.point->step : 0;
  const CheckpointStore store(checkpoints_of(run_dir));
  for (const fs::path& aside : store.set_aside_after(step)) {
    lines.push_back(format("a later checkpoint was set aside as {}", aside.string()));
  }
  (void)store.remove_leftovers();
  (void)remove_unfinished_files(run_dir);
  cut_metrics(run_dir / "metrics.jsonl", step);
  return lines;
}

}  // namespace dflash
