#include "common/mpi/mpi_env.h"

#include <mpi.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <thread>

#include "common/base/deadline.h"
#include "common/mpi/mpi_call.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kFinalizeWithin{10};

/// MPI_Finalize waits for every rank and knows no deadline: a rank that died meanwhile must not hold this one for ever.
void finalize() {
  std::atomic<bool> done = false;
  std::thread guard([&done] {
    const Deadline deadline = Deadline::after(kFinalizeWithin);
    while (!done && !deadline.expired()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!done) std::_Exit(exit_code(ErrorKind::peer_died));
  });
  MPI_Finalize();
  done = true;
  guard.join();
}

}  // namespace

MpiEnv::MpiEnv() {
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_MULTIPLE) {
    throw Error(ErrorKind::config,
                "this MPI was built without MPI_THREAD_MULTIPLE, which is needed: install another one");
  }
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &world_size_), "MPI_Comm_size");
}

MpiEnv::~MpiEnv() {
  // With an error on its way to main, MPI_Finalize would wait for peers that do not know yet; main aborts the job.
  if (std::uncaught_exceptions() == 0) finalize();
}

void MpiEnv::leave(int exit_code) {
  std::_Exit(exit_code);
}

std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return {text, static_cast<size_t>(length)};
}

}  // namespace dflash
