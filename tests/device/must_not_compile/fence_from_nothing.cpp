// expect: no matching function for call to 'dflash::Fence::Fence()'
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void fence_from_nothing() {
#ifdef FORBIDDEN
  Fence fence;
#endif
}

}  // namespace dflash::must_not_compile
