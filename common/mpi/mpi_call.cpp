#include "common/mpi/mpi_call.h"

#include <mpi.h>

#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::internal, format("{}: {}", call, text.data()));
}

void leave_to_mpi(std::shared_ptr<void> memory) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>;  // never destroyed, as MPI outlives main
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(memory));
}

}  // namespace dflash
