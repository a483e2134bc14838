#include "common/mpi/mpi_env.h"

#include <mpi.h>

#include <cstdlib>
#include <exception>

#include "common/mpi/mpi_call.h"

namespace dflash {

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
  if (std::uncaught_exceptions() == 0) MPI_Finalize();
}

void MpiEnv::abort(int exit_code) {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised != 0 && finalised == 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace dflash
