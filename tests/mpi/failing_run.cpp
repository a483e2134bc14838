// Not a test: a run whose drafter fails, started by report_failure_test. `failing_run told` has a coordinator that
// listens and ends the job; `failing_run untold` one that does not.
#include <array>
#include <cstring>
#include <iostream>
#include <thread>

#include "common/base/error.h"
#include "common/mpi/handshake.h"
#include "common/mpi/mpi_env.h"

using namespace dflash;
using namespace std::chrono_literals;

namespace {

void coordinate(ControlLink& link, const RoleMap& roles, bool listens) {
  if (!listens) std::this_thread::sleep_for(60s);
  try {
    welcome_workers(link, roles, RunConfig(), Deadline::after(30s));
  } catch (const Error& error) {
    std::cout << "the coordinator heard: " << error.what() << std::endl;
    MpiEnv::abort(exit_code(error.kind()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool listens = argc == 2 && std::strcmp(argv[1], "told") == 0;
  const MpiEnv env;
  const Role role =
      std::array{Role::coordinator, Role::target, Role::drafter}.at(static_cast<size_t>(env.world_rank()));
  const RoleMap roles = RoleMap::gather(env, role, Deadline::after(30s));
  ControlLink link(roles);
  if (role == Role::coordinator) coordinate(link, roles, listens);
  if (role == Role::target) std::this_thread::sleep_for(60s);
  Failure failure;
  failure.set_exit_code(exit_code(ErrorKind::not_finite));
  failure.set_message("the loss is NaN");
  report_failure(&link, &roles, failure);
}
