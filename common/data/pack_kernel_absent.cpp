// What a build without CUDA answers.
#include "common/base/error.h"
#include "common/data/pack_kernel.h"

namespace dflash {

void enqueue_pack(const PackJob& /*job*/, CUstream_st* /*stream*/) {
  throw Error(ErrorKind::internal, "this build has no CUDA, and so no stream that a pack kernel could be meant for");
}

}  // namespace dflash
