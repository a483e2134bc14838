#include "common/nccl/nccl_built.h"

#include <nccl.h>

namespace dflash {

int built_nccl_version() {
  return NCCL_VERSION_CODE;
}

void need_nccl_build() {}

}  // namespace dflash
