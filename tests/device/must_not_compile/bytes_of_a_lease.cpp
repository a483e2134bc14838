// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void bytes_of_a_lease([[maybe_unused]] const LandedSlot& landed) {
#ifdef FORBIDDEN
  static_cast<void>(landed->bytes());
#endif
}

}  // namespace dflash::must_not_compile
