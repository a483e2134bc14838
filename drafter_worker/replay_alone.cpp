#include "drafter_worker/replay_alone.h"

#include <unistd.h>

#include <iostream>

#include "common/base/console.h"
#include "common/base/log.h"
#include "common/mpi/local_mail.h"
#include "common/pipeline/stage_thread.h"
#include "coordinator/run.h"
#include "drafter_worker/drafter_run.h"
#include "drafter_worker/one_batch.h"
#include "drafter_worker/replay_command.h"

namespace dflash {
namespace {

constexpr int kLeadRank = 0, kDrafterRank = 1;
constexpr double kStallTimeBeforeSettings_s = 120;

RoleMap cast(int own_rank) {
  return {{Role::coordinator, Role::drafter}, own_rank};
}

CommandLine lead_command(const ReplayCommand& command) {
  CommandLine lead{.settings = command.run_toml, .overrides = command.overrides, .resume = command.resume};
  lead.overrides.push_back("data.recorded=" + std::filesystem::absolute(command.folder).string());
  return lead;
}

int replay(const ReplayCommand& command) {
  auto [lead_mail, drafter_mail] = make_local_mail(kLeadRank, kDrafterRank);
  const RoleMap lead_roles = cast(kLeadRank), drafter_roles = cast(kDrafterRank);
  ControlLink lead_link(lead_roles, std::move(lead_mail)), drafter_link(drafter_roles, std::move(drafter_mail));
  const CommandLine lead = lead_command(command);
  Console console(std::cout, isatty(STDOUT_FILENO) == 1);
  Crew crew(lead_link, lead_roles, kStallTimeBeforeSettings_s);
  Run run(lead, crew, console);
  StageThread drafter(
      "drafter", [&] { play_worker(drafter_roles, drafter_link, nullptr, run_drafter); },
      [](const std::exception_ptr& error) {  // play_worker could not even report it
        const Failure failure = describe_failure(error);
        log_error(failure.message());
        flush_log();
        MpiEnv::leave(failure.exit_code());
      });
  try {
    const int code = run.lead();
    drafter.join();
    return code;
  } catch (const std::exception& error) {
    run.end_badly(error);  // ends the process, and the drafter's thread with it
  }
}

}  // namespace

int replay_alone(int argc, char** argv) {
  return run_alone(Role::drafter, [&] {
    const auto command = parse_replay_command(argc, argv);
    if (!command) return 0;
    return command->batch ? look_at_batch(*command) : replay(*command);
  });
}

}  // namespace dflash
