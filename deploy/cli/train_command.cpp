#include "deploy/cli/train_command.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "common/base/console.h"
#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/stop_signal.h"
#include "common/config/named_values.h"
#include "common/config/run_config.h"
#include "common/data/prepare/console_events.h"
#include "common/hf/model_weights.h"
#include "common/plan/data_plan.h"
#include "common/plan/data_settings.h"
#include "common/plan/link_check.h"
#include "common/plan/recording_plan.h"
#include "common/plan/resume_plan.h"
#include "common/plan/run_device.h"
#include "common/plan/run_memory.h"
#include "common/plan/run_plan.h"
#include "common/text/chat_template/template_variables.h"
#include "deploy/cli/dry_run.h"
#include "deploy/cli/job.h"
#include "deploy/cli/mpirun_line.h"
#include "deploy/cli/worker_limit.h"

namespace dflash {
namespace {

struct TrainOptions {
  std::string run_toml;
  std::optional<int> targets;
  int drafters = 1;
  std::string recorded;
  std::vector<std::string> overrides;
  std::vector<std::string> variables;
  std::optional<int64_t> hs_queue_depth;
  std::optional<int64_t> min_ready;
  std::optional<int64_t> metrics_every;
  std::string resume;
  bool dry_run = false;
};

/// --set and the short flags alike; a flag is written later, so it wins.
std::vector<std::string> all_overrides(const TrainOptions& options) {
  std::vector<std::string> all = options.overrides;
  if (options.hs_queue_depth) all.push_back(format("pipeline.hs_queue_depth={}", *options.hs_queue_depth));
  if (options.min_ready) all.push_back(format("pipeline.min_ready={}", *options.min_ready));
  if (!options.recorded.empty()) {
    all.push_back(format("data.recorded={}", std::filesystem::absolute(options.recorded).string()));
  }
  if (options.metrics_every) all.push_back(format("log.metrics_every={}", *options.metrics_every));
  const Json variables = parse_template_variables(options.variables);
  for (const auto& [name, value] : variables.items()) {
    all.push_back(format("data.template_variables.{}={}", name, toml_text(value)));
  }
  return all;
}

void check_count(const char* flag, int count) {
  if (count >= 1 && count <= kMostWorkers) return;
  throw Error(ErrorKind::config, format("{} {}: at least 1 is needed, at most {}", flag, count, kMostWorkers));
}

/// A run from a recorded folder has none.
int count_targets(const TrainOptions& options, const RunConfig& config) {
  return options.targets.value_or(config.data().recorded().empty() ? 1 : 0);
}

void check_programs(const std::filesystem::path& folder) {
  for (const char* name : {"coordinator", "target_worker", "drafter_worker"}) {
    if (access((folder / name).c_str(), X_OK) == 0) continue;
    throw Error(ErrorKind::config, format("{} is not built: there is no such program in {}", name, folder.string()));
  }
}

/// The line that starts the run, with settings that were found here.
std::vector<std::string> launch_line(const TrainOptions& options, const RunPlan& plan,
                                     const std::vector<std::string>& found) {
  std::vector<std::string> overrides = all_overrides(options);
  overrides.insert(overrides.end(), found.begin(), found.end());
  const int64_t threads = int64_t{plan.targets} * plan.target_threads + int64_t{plan.drafters} * plan.drafter_threads;
  return mpirun_line({.programs = program_folder(),
                      .run_toml = options.run_toml,
                      .overrides = overrides,
                      .resume = options.resume,
                      .targets = plan.targets,
                      .drafters = plan.drafters,
                      .is_root = geteuid() == 0,
                      .terminal = isatty(STDOUT_FILENO) == 1,
                      .threads_exceed_cores = threads > read_machine_facts().cores});
}

/// Conversations become token ids here, before any process of the run starts. A dry run tells what would be done.
/// Returns the setting that says where they lie: the coordinator prepares nothing.
std::vector<std::string> prepare_documents(const TrainOptions& options, RunConfig& config, const ModelConfig& target) {
  expand_data_files(config);
  check_data_settings(config, target);
  if (!hold_conversations(config)) return {};
  if (options.dry_run) {
    const auto preparing = plan_preparing(config, target);
    std::printf("data     conversations of %zu file(s), %s %s\n", preparing->files.size(),
                is_prepared_folder(preparing->folder) ? "prepared already in" : "to be prepared into",
                preparing->folder.c_str());
    config.mutable_data()->set_prepared(preparing->folder.string());
  } else {
    note_stop_signals();
    Console console(std::cout, isatty(STDOUT_FILENO) == 1);
    prepare_run_data(config, target, console_events(console));
  }
  return {format("data.prepared={}", config.data().prepared())};
}

/// A folder that does not fit is refused before anything starts, and one of another tokenizer is told of; files of
/// token ids are left to the run.
void check_prepared_folder(const RunConfig& config, const RunPlan& plan) {
  if (!is_prepared_folder(config.data().prepared())) return;
  DataLedger ledger;
  (void)load_run_documents(config, plan, ledger);
  if (const std::string notice = tokenizer_notice(config); !notice.empty())
    std::printf("note     %s\n", notice.c_str());
}

int start_run(const TrainOptions& options, RunConfig& config) {
  const ResumePlan resume = plan_resume(options.resume, config, options.drafters);
  if (resume.point && resume.point->step == resume.point->total_steps) {
    std::printf("nothing to do: all %lld steps of %s are done\n", static_cast<long long>(resume.point->total_steps),
                config.run().dir().c_str());
    return 0;
  }
  const ModelConfig target = read_model_config(config.target().model());
  const ModelWeights weights(config.target().model());  // their headers alone: a folder without weights is found here
  const RunPlan plan =
      make_run_plan(config, target, count_targets(options, config), options.drafters, read_machine_facts());
  if (plan.targets == 0) (void)open_recording(config, plan);
  check_run_device(config.run());
  check_links(config, cast_of(plan));
  check_programs(program_folder());
  const std::vector<std::string> line = launch_line(options, plan, prepare_documents(options, config, target));
  check_prepared_folder(config, plan);
  std::printf("%s\n", config_table(config).c_str());
  if (options.dry_run) {
    print_dry_run(config, plan);
    std::printf("\n%s\n", shell_line(line).c_str());
    return 0;
  }
  (void)describe_run_memory(config, plan, cast_of(plan));  // refuses before anything starts; the coordinator tells
  std::printf("%s\n\n", shell_line(line).c_str());
  return run_job(line, config.run().dir());
}

int run_train(const TrainOptions& options) {
  if (options.targets) check_count("--targets", *options.targets);
  check_count("--drafters", options.drafters);
  const std::vector<std::string> overrides = all_overrides(options);
  RunConfig config = load_run_config(options.run_toml, overrides);
  return with_places(options.run_toml, overrides, [&] { return start_run(options, config); });
}

/// Flags for settings of run.toml (all_overrides).
void add_shortcuts(CLI::App* train, TrainOptions& options) {
  train->add_option("--recorded", options.recorded,
                    "train on the batches of this folder, without targets; short for --set data.recorded=DIR");
  train
      ->add_option("--template-variable", options.variables,
                   format("{}; short for --set data.template_variables.NAME=VALUE", kTemplateVariableHelp))
      ->allow_extra_args(false);
  train->add_option("--hs-queue-depth", options.hs_queue_depth, "short for --set pipeline.hs_queue_depth=N");
  train->add_option("--min-ready", options.min_ready, "short for --set pipeline.min_ready=N");
  train->add_option("--metrics-every", options.metrics_every, "short for --set log.metrics_every=N");
}

}  // namespace

void add_train_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* train = app.add_subcommand("train", "train a drafter for a target");
  train->add_option("run.toml", options->run_toml, "the settings of the run")->required();
  train->add_option("--targets", options->targets, "target workers; 1, or none with --recorded");
  train->add_option("--drafters", options->drafters, "drafter workers")->capture_default_str();
  train
      ->add_option("--set", options->overrides, "SECTION.KEY=VALUE: a setting that wins over run.toml; may be repeated")
      ->allow_extra_args(false);
  add_shortcuts(train, *options);
  train
      ->add_option(
          "--resume", options->resume,
          "go on with a run: from the newest whole checkpoint of run.dir (auto), or from CHECKPOINT, a step or "
          "a checkpoint's folder")
      ->expected(0, 1)
      ->default_str("auto")
      ->type_name("[auto|CHECKPOINT]");
  train->add_flag("--dry-run", options->dry_run,
                  "show settings, ranks, links, memory and checkpoint sizes and the mpirun line; start nothing");
  train->add_flag_callback(
      "--help-config",
      [] {
        std::fputs(config_help().c_str(), stdout);
        throw CLI::Success();
      },
      "print every key of run.toml with type, default, range and meaning");
  train->callback([options, &exit_code] { exit_code = run_train(*options); });
}

}  // namespace dflash
