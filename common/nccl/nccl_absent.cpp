// What a build without NCCL answers.
#include "common/base/error.h"
#include "common/nccl/nccl_built.h"
#include "common/nccl/nccl_transport.h"

namespace dflash {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::config,
              "channel nccl: this build has no NCCL (it was not found, or WITH_NCCL=OFF): install NCCL 2.28 or run "
              "deploy/setup --cuda, and build again; pipeline.channel = auto needs none");
}

}  // namespace

std::unique_ptr<Transport> make_nccl_transport(Bootstrap& /*bootstrap*/, bool /*makes_id*/, int /*device_ordinal*/,
                                               const std::string& /*peer_name*/, Deadline /*deadline*/) {
  refuse();
}

int built_nccl_version() {
  return 0;
}

void need_nccl_build() {
  refuse();
}

std::string check_nccl_library() {
  refuse();
}

}  // namespace dflash
