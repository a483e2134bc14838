// The command line of a drafter that runs alone: drafter_worker --solo run.toml --replay DIR ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

struct ReplayCommand {
  std::string run_toml;
  std::vector<std::string> overrides;  // "section.key=VALUE"
  std::filesystem::path folder;
  std::string resume;                // see common/plan/resume_plan.h; empty: a new run
  std::optional<int64_t> batch;      // look at this one alone
  std::filesystem::path checkpoint;  // with `batch`: whose weights; empty: the first ones
};

/// Nothing when the arguments asked for the help, which is printed then. Error{config} for arguments it does not know.
[[nodiscard]] std::optional<ReplayCommand> parse_replay_command(int argc, char** argv);

}  // namespace dflash
