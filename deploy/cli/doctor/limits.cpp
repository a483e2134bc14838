#include "deploy/cli/doctor/limits.h"

#include "common/base/bytes_text.h"
#include "common/base/format.h"

namespace dflash {
namespace {

// Measured with Open MPI 4.1: mpirun holds 24 and 2 for each rank; every rank some 30, the coordinator one more for
// each worker.
constexpr rlim_t kFilesOfAProcess = 64;
constexpr rlim_t kFilesForARank = 4;

}  // namespace

bool has_infiniband(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator devices(folder, error);
  return !error && devices != std::filesystem::directory_iterator();
}

Finding check_locked_memory(const rlimit& limit, bool infiniband) {
  const char* subject = "locked memory";
  if (limit.rlim_cur == RLIM_INFINITY) return {Light::good, subject, "unlimited"};
  const std::string found = bytes_text(static_cast<int64_t>(limit.rlim_cur));
  if (!infiniband) return {Light::good, subject, found + "; not needed: no InfiniBand, and this build locks none"};
  return {Light::note, subject, found + ", and there is InfiniBand: MPI locks the memory that it sends from there",
          "for runs over several nodes: ulimit -l unlimited (memlock in limits.conf, docker run --ulimit memlock=-1)"};
}

Finding check_open_files(const rlimit& limit, int ranks) {
  const char* subject = "open files";
  const rlim_t needed = kFilesOfAProcess + kFilesForARank * static_cast<rlim_t>(ranks);
  if (limit.rlim_cur == RLIM_INFINITY) return {Light::good, subject, "unlimited"};
  const std::string found = format("{} for each process; {} ranks may need {}", limit.rlim_cur, ranks, needed);
  if (limit.rlim_cur >= needed) return {Light::good, subject, found};
  if (limit.rlim_max >= needed) return {Light::bad, subject, found, format("ulimit -n {}", needed)};
  return {Light::bad, subject, found,
          format("raise the hard limit too (nofile in limits.conf, docker run --ulimit nofile={})", needed)};
}

}  // namespace dflash
