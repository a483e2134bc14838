// MpiEnv: MPI for the life of main. The rooms above see no mpi.h; this folder alone includes it.
#pragma once

#include <string>

#include "common/base/error.h"

namespace dflash {

/// Initialises MPI (MPI_THREAD_MULTIPLE) and finalises it on destruction. A local of main, made first.
class MpiEnv {
 public:
  MpiEnv();
  ~MpiEnv();
  MpiEnv(const MpiEnv&) = delete;
  MpiEnv& operator=(const MpiEnv&) = delete;

  [[nodiscard]] int world_rank() const { return world_rank_; }
  [[nodiscard]] int world_size() const { return world_size_; }

  /// Ends this process at once; mpirun then ends what is left of the job. Not MPI_Abort, which returns to nobody
  /// before mpirun has killed the ranks: twice odls_base_sigkill_timeout.
  [[noreturn]] static void leave(int exit_code);

 private:
  int world_rank_ = 0;
  int world_size_ = 0;
};

/// What the MPI library of this program calls itself: "Open MPI v4.1.4, package: ...". Needs no MpiEnv.
[[nodiscard]] std::string mpi_library_version();

}  // namespace dflash
