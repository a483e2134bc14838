#include "common/mpi/own_comm.h"

#include <mpi.h>

#include <chrono>
#include <memory>
#include <utility>

#include "common/base/error.h"
#include "common/mpi/mpi_call.h"

namespace dflash {

namespace {

constexpr int kMostTags = 32768;  // what MPI_TAG_UB is at least
constexpr std::chrono::seconds kDuplicateWithin{60};

MPI_Comm duplicate(MPI_Comm original) {
  struct Duplication {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  auto pending = std::make_unique<Duplication>();
  check_mpi(MPI_Comm_idup(original, &pending->comm, &pending->request), "MPI_Comm_idup");
  const bool done = poll_until(Deadline::after(kDuplicateWithin), [&] {
    int flag = 0;
    check_mpi(MPI_Test(&pending->request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  });
  if (!done) {
    leave_to_mpi(std::move(pending));
    throw Error(ErrorKind::stall,
                "not all ranks made their end of a link: one is stuck, or made its links in another order");
  }
  check_mpi(MPI_Comm_set_errhandler(pending->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return pending->comm;
}

}  // namespace

OwnComm::OwnComm(Of group) : handle_(MPI_Comm_c2f(duplicate(group == Of::world ? MPI_COMM_WORLD : MPI_COMM_SELF))) {}

OwnComm OwnComm::of_world() {
  return OwnComm(Of::world);
}

OwnComm OwnComm::of_self() {
  return OwnComm(Of::self);
}

int OwnComm::take_tag() {
  const int tag = next_tag_.fetch_add(1);
  if (tag >= kMostTags)
    throw Error(ErrorKind::internal, "a communicator has no more tags: too many channels were made");
  return tag;
}

}  // namespace dflash
