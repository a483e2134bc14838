// How a worker ends: it tells the coordinator why, and lets it end the job, so that the first cause is the one
// reported.
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/mpi/handshake.h"
#include "common/mpi/mpi_env.h"

namespace dflash {

namespace {

constexpr std::chrono::seconds kCoordinatorEndsWithin{2};

void tell_coordinator(ControlLink& link, const RoleMap& roles, const Failure& failure) {
  const Deadline deadline = Deadline::after(kCoordinatorEndsWithin);
  ControlMessage message;
  *message.mutable_failure() = failure;
  link.send(roles.coordinator_rank(), message);
  // Whatever still arrives is of no use any more; taking it lets our own message leave.
  while (!deadline.expired()) (void)link.wait(deadline);
}

}  // namespace

void report_failure(ControlLink* link, const RoleMap* roles, const Failure& failure) {
  const int exit_code_or_1 = failure.exit_code() != 0 ? failure.exit_code() : exit_code(ErrorKind::internal);
  try {
    if (link != nullptr && roles != nullptr && roles->own_role() != Role::coordinator) {
      tell_coordinator(*link, *roles, failure);
    }
  } catch (const Error& error) {
    log_warn(std::string("the coordinator could not be told of the failure: ") + error.what());
  }
  flush_log();
  MpiEnv::abort(exit_code_or_1);
}

}  // namespace dflash
