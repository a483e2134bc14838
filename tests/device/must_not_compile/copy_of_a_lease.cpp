// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_of_a_lease([[maybe_unused]] const LandedSlot& landed) {
#ifdef FORBIDDEN
  LandedSlot copy = landed;
#endif
}

}  // namespace dflash::must_not_compile
