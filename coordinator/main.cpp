// coordinator: leads one training run. This file only wires; what it does stands in coordinator_loop.h.

#include <ctime>
#include <iostream>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/checkpoint/run_folder.h"
#include "common/config/run_config.h"
#include "common/mpi/handshake.h"
#include "common/mpi/mpi_bootstrap.h"
#include "common/mpi/mpi_env.h"
#include "coordinator/command_line.h"
#include "coordinator/coordinator_loop.h"
#include "coordinator/run_facts.h"

namespace dflash {
namespace {

LoopSettings loop_settings(const RunConfig& config, const RunFacts& facts) {
  return {.total_steps = facts.count.steps,
          .batches_per_step = facts.count.batches / facts.count.steps,
          .queue_depth = facts.plan.queue_depth,
          .checkpoint_every_steps = config.checkpoint().every_steps(),
          .stall_timeout_s = config.run().stall_timeout_s(),
          .config_hash = hash_hex(facts.hashes.config)};
}

void lead_run(const CommandLine& command, Console& console) {
  const MpiEnv env;
  RunConfig config = load_run_config(command.settings, command.overrides);
  check_run_folder(config.run().dir());
  const auto patience = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(config.run().stall_timeout_s()));
  const RoleMap roles = RoleMap::gather(env, Role::coordinator, Deadline::after(patience));
  ControlLink link(roles);
  const MpiBootstrapFactory bootstraps(roles);  // collective: workers connect their channels through theirs
  const RunPlan plan = with_places(command.settings, command.overrides, [&] {
    return make_run_plan(config, read_model_config(config.target().model()),
                         static_cast<int>(roles.ranks_of(Role::target).size()),
                         static_cast<int>(roles.ranks_of(Role::drafter).size()), read_machine_facts());
  });
  fix_machine_settings(config, plan);
  welcome_workers(link, roles, config, Deadline::after(patience));
  // While the workers load their models and the same data.
  const RunFacts facts =
      with_places(command.settings, command.overrides, [&] { return gather_run_facts(config, plan); });
  await_ready(link, roles, facts.hashes, Deadline::after(patience));

  RunRecorder recorder(config.run().dir(), config_toml(config), run_facts_json(facts, std::time(nullptr)));
  log_to_file(recorder.logs_folder() / "coordinator-0.log");
  log_info(config_table(config));
  for (const std::string& text : {describe_run_plan(plan), describe_data(facts)}) {
    log_info(text);
    console.notice(text);
  }
  Start start;
  start.set_total_steps(facts.count.steps);
  start_workers(link, roles, start);
  CoordinatorLoop(loop_settings(config, facts), link, roles, recorder, console).run();
}

/// Says why the run ends.
int report(ErrorKind kind, const char* message) {
  log_error(message);
  flush_log();
  return exit_code(kind);
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  using namespace dflash;
  init_log("coordinator-0");
  CommandLine command;
  try {
    command = parse_command_line({argv + 1, argv + argc});
  } catch (const Error& error) {
    return report(error.kind(), error.what());  // before MPI is up this alone ends the job
  }
  if (command.help) {
    std::cout << command_line_help();
    return 0;
  }
  Console console(std::cout, command.terminal);
  try {
    lead_run(command, console);
    flush_log();
    return 0;
  } catch (const Error& error) {
    console.end_line();
    MpiEnv::abort(report(error.kind(), error.what()));
  } catch (const std::exception& error) {
    console.end_line();
    MpiEnv::abort(report(ErrorKind::internal, error.what()));
  }
}
