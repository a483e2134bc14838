// The mpirun line of a run: coordinator, target workers and drafter workers in one world.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dflash {

struct LaunchRequest {
  std::filesystem::path programs;  // folder of coordinator, target_worker, drafter_worker
  std::string run_toml;
  std::vector<std::string> overrides = {};  // "a.b=c", for --set
  std::string resume = {};                  // for --resume; empty: a new run
  int targets = 1;                          // 0: a run from a recorded folder
  int drafters = 1;
  bool is_root = false;               // mpirun refuses root unless told
  bool terminal = false;              // the coordinator may rewrite its progress line
  bool threads_exceed_cores = false;  // then threads that wait must not spin
};

/// Program and arguments, ready for exec.
[[nodiscard]] std::vector<std::string> mpirun_line(const LaunchRequest& request);

/// `arguments` as one line that a POSIX shell reads back to the same arguments.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace dflash
