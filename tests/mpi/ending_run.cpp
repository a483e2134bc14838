// Not a test: a run that ends badly, started by worker_end_test: ending_run HOW. Rank 0 is the coordinator, written
// here; target 1 and drafter 2 are workers whose loops are busy. The run's folder is the current one.
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "common/base/log.h"
#include "common/base/stop_signal.h"
#include "common/mpi/mpi_env.h"
#include "common/mpi/worker_control.h"

using namespace dflash;
using namespace std::chrono_literals;

namespace {

void send_to_all(ControlLink& link, const RoleMap& roles, const ControlMessage& message) {
  for (const int rank : roles.workers()) link.send(rank, message);
  link.flush(Deadline::after(10s));
}

void abort_all(ControlLink& link, const RoleMap& roles, int code) {
  ControlMessage message;
  message.mutable_abort()->set_exit_code(code);
  message.mutable_abort()->set_message("the coordinator says so");
  send_to_all(link, roles, message);
}

/// What a worker reports ends all with its exit code.
void pass_failure_on(ControlLink& link, const RoleMap& roles) {
  while (const std::optional<Incoming> incoming = link.wait(Deadline::after(30s))) {
    if (!incoming->message.has_failure()) continue;
    abort_all(link, roles, incoming->message.failure().exit_code());
    std::this_thread::sleep_for(500ms);
    std::_Exit(incoming->message.failure().exit_code());
  }
}

/// Longer than workers bear without a word; then the run ends well.
void ping_for_a_while(ControlLink& link, const RoleMap& roles) {
  ControlMessage message;
  message.mutable_ping();
  for (int count = 0; count < 14; ++count) {
    send_to_all(link, roles, message);
    (void)link.wait(Deadline::after(0s));
    std::this_thread::sleep_for(250ms);
  }
  message.mutable_stop();
  send_to_all(link, roles, message);
  std::this_thread::sleep_for(500ms);
  std::_Exit(0);
}

void coordinate(const std::string& how, ControlLink& link, const RoleMap& roles) {
  if (how == "told") pass_failure_on(link, roles);
  if (how == "pings") ping_for_a_while(link, roles);
  std::this_thread::sleep_for(500ms);
  if (how == "abort") abort_all(link, roles, 15);
  if (how == "killed") std::raise(SIGKILL);
  std::this_thread::sleep_for(60s);
}

void work(const std::string& how, ControlLink& link, const RoleMap& roles) {
  WorkerControl control(link, roles);
  control.set_run_folder(".");
  control.where().enter("train", 17);
  if (how == "silent" || how == "pings") std::raise(SIGTERM);
  if ((how == "told" || how == "untold") && roles.own_role() == Role::drafter) {
    Failure failure;
    failure.set_exit_code(exit_code(ErrorKind::not_finite));
    failure.set_message("the loss is NaN");
    control.report_failure(failure);
    MpiEnv::leave(exit_code(ErrorKind::not_finite));
  }
  const Deadline deadline = Deadline::after(60s);
  while (!control.stopped() && !deadline.expired()) std::this_thread::sleep_for(10ms);
  std::_Exit(control.stopped() ? 0 : 99);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  init_log("ending_run");
  note_stop_signals();
  const MpiEnv env;
  const std::array roles_of_ranks = {Role::coordinator, Role::target, Role::drafter};
  const RoleMap roles =
      RoleMap::gather(env, roles_of_ranks.at(static_cast<size_t>(env.world_rank())), Deadline::after(30s));
  ControlLink link(roles);
  if (roles.own_role() == Role::coordinator) {
    coordinate(how, link, roles);
  } else {
    work(how, link, roles);
  }
  std::_Exit(99);
}
