#include "target_worker/record_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/base/error.h"
#include "common/plan/recording_plan.h"

namespace dflash {
namespace {

void add_options(CLI::App& app, RecordCommand& command) {
  app.add_flag("--solo")->required()->description("alone, without mpirun");
  app.add_option("run.toml", command.run_toml, "the settings of the run")->required();
  app.add_option("--record", command.folder, "the folder to make; new or empty")->required();
  app.add_option("--batches", command.batches,
                 "how many; without it those of the run with one drafter (D drafters take D times train.steps)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--first", command.first, "number of the first one")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--store", command.storage,
                 "hidden states as they are, or smaller: bfloat16, or float8 (E4M3 with a scale for every token of "
                 "every layer); what that costs in exactness is measured and written into recording.json")
      ->check(CLI::IsMember(storage_names()))
      ->capture_default_str();
  app.add_option("--set", command.overrides, "SECTION.KEY=VALUE: a setting that wins over run.toml; may be repeated")
      ->allow_extra_args(false);
}

}  // namespace

std::optional<RecordCommand> parse_record_command(int argc, char** argv) {
  RecordCommand command;
  command.storage = storage_names().front();
  CLI::App app(
      "target_worker --solo: computes the batches of a run without drafters and records them into a folder, to train "
      "from later (dflash train run.toml --recorded DIR, or drafter_worker --solo run.toml --replay DIR).",
      "target_worker");
  add_options(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::config, std::string(error.what()) + "; target_worker --solo --help shows what there is");
  }
  return command;
}

}  // namespace dflash
