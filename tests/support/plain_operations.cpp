// Linked into a test, makes its whole process take the way of plain LibTorch operations, as on a GPU: host_kernels.h.
#include "common/model/host_kernels.h"

namespace dflash {
namespace {
const PlainOperations kAllAlong;
}  // namespace
}  // namespace dflash
