// coordinator: leads one training run. This file only wires; what it does stands in run.h.

#include <iostream>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/stop_signal.h"
#include "common/mpi/mpi_env.h"
#include "common/mpi/run_links.h"
#include "coordinator/run.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kGatherTime{120};
constexpr double kStallTimeBeforeSettings_s = 120;

int lead_run(const CommandLine& command, Console& console) {
  const MpiEnv env;
  const RoleMap roles = RoleMap::gather(env, Role::coordinator, Deadline::after(kGatherTime));
  RunLinks links(roles);
  Crew crew(links.control, roles, kStallTimeBeforeSettings_s);
  Run run(command, crew, console);
  try {
    return run.lead();
  } catch (const std::exception& error) {
    run.end_badly(error);
  }
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
  note_stop_signals();
  die_with_parent();
  Console console(std::cout, command.terminal);
  try {
    const int code = lead_run(command, console);
    flush_log();
    return code;
  } catch (const Error& error) {
    console.end_line();
    MpiEnv::leave(report(error.kind(), error.what()));
  } catch (const std::exception& error) {
    console.end_line();
    MpiEnv::leave(report(ErrorKind::internal, error.what()));
  }
}
