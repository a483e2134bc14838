// The command line of the coordinator: coordinator run.toml [--set a.b=c]... [--resume auto|CHECKPOINT] [--terminal]
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dflash {

struct CommandLine {
  std::filesystem::path settings;
  std::vector<std::string> overrides;  // "section.key=VALUE"
  std::string resume;                  // see common/plan/resume_plan.h; empty: a new run
  bool terminal = false;
  bool help = false;
};

/// `arguments` without the program's name. Error{config} for what it does not know.
[[nodiscard]] CommandLine parse_command_line(const std::vector<std::string>& arguments);

[[nodiscard]] const char* command_line_help();

}  // namespace dflash
