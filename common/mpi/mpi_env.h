// MpiEnv: MPI for the life of main. The rooms above see no mpi.h; this folder alone includes it.
#pragma once

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

  /// Ends every rank of the job with this exit code; does not return.
  [[noreturn]] static void abort(int exit_code);

 private:
  int world_rank_ = 0;
  int world_size_ = 0;
};

}  // namespace dflash
