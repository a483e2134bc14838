#include "drafter_worker/replay_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/base/error.h"

namespace dflash {
namespace {

void add_options(CLI::App& app, ReplayCommand& command) {
  app.add_flag("--solo")->required()->description("alone, without mpirun");
  app.add_option("run.toml", command.run_toml, "the settings of the run")->required();
  app.add_option("--replay", command.folder, "the recorded folder")->required();
  CLI::Option* resume = app.add_option("--resume", command.resume,
                                       "go on with a run: from the newest whole checkpoint of run.dir (auto), or from "
                                       "CHECKPOINT, a step or a checkpoint's folder")
                            ->type_name("auto|CHECKPOINT");
  CLI::Option* batch =
      app.add_option("--batch", command.batch, "train on this one alone, change nothing, print what came out as JSON")
          ->check(CLI::NonNegativeNumber)
          ->excludes(resume);
  app.add_option("--checkpoint", command.checkpoint, "with --batch: the checkpoint's folder whose weights are used")
      ->needs(batch);
  app.add_option("--set", command.overrides, "SECTION.KEY=VALUE: a setting that wins over run.toml; may be repeated")
      ->allow_extra_args(false);
}

}  // namespace

std::optional<ReplayCommand> parse_replay_command(int argc, char** argv) {
  ReplayCommand command;
  CLI::App app(
      "drafter_worker --solo: trains on recorded batches in one process, as the run would with one drafter; or looks "
      "at one batch (a bad one that a run wrote down, or any of a recording): its loss, gradient norm and states.",
      "drafter_worker");
  add_options(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::config, std::string(error.what()) + "; drafter_worker --solo --help shows what there is");
  }
  return command;
}

}  // namespace dflash
