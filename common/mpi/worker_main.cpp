#include "common/mpi/worker_main.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stop_signal.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kJoinTime{120};  // until the coordinator has read the settings

/// What an exception of any library means for the exit code.
Error as_error(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  const std::string_view text = exception.what();
  return {ErrorKind::internal, std::string(text.substr(0, text.find('\n')))};
}

[[noreturn]] void end_with(const Error& error, WorkerControl* control) {
  log_error(error.what());
  flush_log();
  if (control != nullptr) {
    Failure failure;
    failure.set_exit_code(exit_code(error.kind()));
    failure.set_message(error.what());
    failure.set_stage(control->where().stage());
    failure.set_sequence(control->where().sequence());
    control->report_failure(failure);
  }
  MpiEnv::leave(exit_code(error.kind()));
}

Deadline deadline_after_stalls(const RunConfig& config, double count) {
  const std::chrono::duration<double> time(count * config.run().stall_timeout_s());
  return Deadline::after(std::chrono::duration_cast<std::chrono::nanoseconds>(time));
}

}  // namespace

Deadline WorkerContext::stall_deadline() const {
  return deadline_after_stalls(config, 1);
}

Deadline WorkerContext::pace_deadline() const {
  return deadline_after_stalls(config, 1.0 + config.pipeline().hs_queue_depth());
}

void WorkerContext::await_stop() const {
  where().enter(kWaitsForTheEnd, -1);
  if (control.wait_for_stop(pace_deadline())) return;
  throw Error(ErrorKind::stall, "the coordinator did not end the run in time");
}

void play_worker(const RoleMap& roles, ControlLink& control_link, RunLinks* links,
                 const std::function<void(const WorkerContext&)>& body) {
  WorkerControl control(control_link, roles);
  try {
    const Welcome welcome = join_run(control, Deadline::after(kJoinTime));
    control.set_run_folder(welcome.config().run().dir());
    body({roles, control, links, welcome.config(), welcome.has_resume() ? &welcome.resume() : nullptr});
  } catch (const std::exception& exception) {
    end_with(as_error(exception), &control);
  }
}

int run_worker(int argc, char** argv, Role role, const char* help,
               const std::function<void(const WorkerContext&)>& body) {
  if (argc > 1) {
    const bool asked = std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h";
    std::fputs(help, asked ? stdout : stderr);
    return asked ? 0 : exit_code(ErrorKind::config);
  }
  init_log(role_name(role));
  note_stop_signals();
  die_with_parent();
  try {
    const MpiEnv env;
    const RoleMap roles = RoleMap::gather(env, role, Deadline::after(kJoinTime));
    init_log(format("{}-{}", role_name(role), roles.own_index()));
    RunLinks links(roles);
    play_worker(roles, links.control, &links, body);
  } catch (const std::exception& exception) {  // before the cast was known: every rank sees the same and leaves
    end_with(as_error(exception), nullptr);
  }
  return 0;
}

bool is_solo(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--solo"; });
}

int run_alone(Role role, const std::function<int()>& body) {
  init_log(format("{}-0", role_name(role)));
  note_stop_signals();
  int code = 0;
  try {
    code = body();
  } catch (const std::exception& exception) {
    const Error error = as_error(exception);
    log_error(error.what());
    code = exit_code(error.kind());
  }
  flush_log();
  return code;
}

}  // namespace dflash
