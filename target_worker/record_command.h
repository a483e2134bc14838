// The command line of a target that runs alone: target_worker --solo run.toml --record DIR ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

struct RecordCommand {
  std::string run_toml;
  std::vector<std::string> overrides;  // "section.key=VALUE"
  std::filesystem::path folder;
  int64_t first = 0;
  int64_t batches = 0;  // 0: those of the run, from `first` on
  std::string storage;  // storage_names of common/plan/recording_plan.h
};

/// Nothing when the arguments asked for the help, which is printed then. Error{config} for arguments it does not know.
[[nodiscard]] std::optional<RecordCommand> parse_record_command(int argc, char** argv);

}  // namespace dflash
