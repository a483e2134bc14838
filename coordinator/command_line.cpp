#include "coordinator/command_line.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine command;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      command.help = true;
    } else if (argument == "--terminal") {
      command.terminal = true;
    } else if (argument == "--set") {
      if (++i == arguments.size()) throw Error(ErrorKind::config, "--set: expected section.key=VALUE after it");
      command.overrides.push_back(arguments[i]);
    } else if (argument.starts_with("--set=")) {
      command.overrides.push_back(argument.substr(6));
    } else if (argument == "--resume") {
      if (++i == arguments.size()) throw Error(ErrorKind::config, "--resume: expected auto or a checkpoint after it");
      command.resume = arguments[i];
    } else if (argument.starts_with("-") || !command.settings.empty()) {
      throw Error(ErrorKind::config, format("unknown argument '{}'; coordinator --help shows what there is", argument));
    } else {
      command.settings = argument;
    }
  }
  if (!command.help && command.settings.empty()) {
    throw Error(ErrorKind::config,
                "no settings file is named; start as: coordinator run.toml [--set section.key=VALUE]...");
  }
  return command;
}

const char* command_line_help() {
  return R"(coordinator run.toml [--set section.key=VALUE]... [--resume auto|CHECKPOINT] [--terminal]

Leads one training run: reads the settings, hands out batches, writes metrics and checkpoints into run.dir.
It runs beside its workers under one mpirun; exactly one coordinator, any number of targets and drafters:

  mpirun -n 1 coordinator run.toml : -n 2 target_worker : -n 1 drafter_worker

`dflash train run.toml --targets 2` composes this line, with threads and logs, and starts it. The workers take no
settings: the coordinator sends them.

  --set section.key=VALUE  replaces a setting of run.toml; may be given several times. VALUE is TOML, else a string
  --resume auto|CHECKPOINT go on from the newest whole checkpoint of run.dir, or from this one (a step or a folder)
  --terminal               rewrite one progress line in place (mpirun hides from its ranks whether there is a terminal)
  --help                   this text; `dflash train --help-config` lists every setting

Exit codes: 0 done, 10 settings, 11 a model or data file, 12 checkpoint, 13 no space, 14 a rank died, 15 stall,
16 not finite, 143 a signal and saved, 144 a signal and not saved, 1 anything else. verdict.json in run.dir says more.
)";
}

}  // namespace dflash
