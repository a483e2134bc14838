#include "common/mpi/worker_main.h"

#include <cstdio>
#include <string_view>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/mpi/handshake.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kJoinTime{120};  // until the coordinator has read the settings

Failure make_failure(const Error& error, const Whereabouts& where) {
  Failure failure;
  failure.set_exit_code(exit_code(error.kind()));
  failure.set_message(error.what());
  failure.set_stage(where.stage);
  failure.set_sequence(where.sequence);
  return failure;
}

/// What an exception of any library means for the exit code.
Error as_error(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  const std::string_view text = exception.what();
  return {ErrorKind::internal, std::string(text.substr(0, text.find('\n')))};
}

void play(const MpiEnv& env, Role role, const std::function<void(const WorkerContext&)>& body) {
  const RoleMap roles = RoleMap::gather(env, role, Deadline::after(kJoinTime));
  init_log(format("{}-{}", role_name(role), roles.own_index()));
  ControlLink link(roles);
  MpiBootstrapFactory bootstraps(roles);
  Whereabouts where;
  try {
    const RunConfig config = join_run(link, roles, Deadline::after(kJoinTime));
    body({roles, link, bootstraps, config, where});
  } catch (const std::exception& exception) {
    const Error error = as_error(exception);
    log_error(error.what());
    flush_log();
    report_failure(&link, &roles, make_failure(error, where));
  }
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
  where = {"wait for the end of the run", -1};
  const auto incoming = link.wait(pace_deadline());
  if (!incoming) throw Error(ErrorKind::stall, "the coordinator did not end the run in time");
  if (!incoming->message.has_stop())
    throw Error(ErrorKind::internal, "expected the end of the run, got another message");
}

int run_worker(int argc, char** argv, Role role, const char* help,
               const std::function<void(const WorkerContext&)>& body) {
  if (argc > 1) {
    const bool asked = std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h";
    std::fputs(help, asked ? stdout : stderr);
    return asked ? 0 : exit_code(ErrorKind::config);
  }
  init_log(role_name(role));
  try {
    const MpiEnv env;
    play(env, role, body);
  } catch (const std::exception& exception) {  // before the cast was known: every rank sees the same and leaves
    const Error error = as_error(exception);
    log_error(error.what());
    flush_log();
    MpiEnv::abort(exit_code(error.kind()));
  }
  return 0;
}

}  // namespace dflash
