// A run's folder with checkpoints as the coordinator writes them, for tests of what --resume makes of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/format.h"
#include "common/checkpoint/checkpoint_store.h"
#include "common/config/run_config.h"
#include "common/plan/recorded_run.h"
#include "tests/support/temp_folder.h"

namespace dflash {

class RecordedRuns {
  TempFolder folder_;

 public:
  /// 8 steps of 2 x 2 batches.
  RecordedRuns() {
    write_text(path("run.toml"),
               "[run]\ndir = 'run'\n[target]\nmodel = 'model'\n[drafter]\nmask_token_id = 3\n"
               "[data]\nfiles = ['a.jsonl']\n[train]\nsteps = 8\nlr = 1e-3\naccumulation_steps = 2\n");
    settings = config_toml(load({"target.threads=3", "drafter.threads=4"}));  // as the first run found them
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::filesystem::path run_dir() const { return path("run"); }
  [[nodiscard]] CheckpointStore store() const { return CheckpointStore(run_dir() / "checkpoints"); }
  [[nodiscard]] RunConfig load(const std::vector<std::string>& overrides = {}) const {
    return load_run_config(path("run.toml"), overrides);
  }

  std::string settings;  // state/run.toml of the checkpoints to come
  std::string facts =
      R"({"drafters": 2, "total_steps": 8, "data_hash": "00000000000000da", "layout_hash": "000000000000001a"})";

  void make(int64_t step) const { make(step, 4 * step); }
  void make(int64_t step, int64_t next_sequence) const {
    make(step, next_sequence, {{kRecordedSettingsPath, settings}, {kRecordedFactsPath, facts}});
  }
  void make(int64_t step, int64_t next_sequence, const std::map<std::string, std::string>& added) const {
    write_text(store().make_staging(step) / "state/moments", format("of step {}", step));
    store().commit(step, next_sequence, "", {"state/moments"}, added);
  }
  void damage(int64_t step) const { write_text(store().final_folder(step) / "state/moments", "other"); }
};

}  // namespace dflash
