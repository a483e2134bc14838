// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void fence_without_a_stream([[maybe_unused]] FencePtr state) {
#ifdef FORBIDDEN
  Fence fence(std::move(state), nullptr, 1);
#endif
}

}  // namespace dflash::must_not_compile
