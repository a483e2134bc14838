// expect: as 'this' argument discards qualifiers
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void land_of_a_copy_somebody_keeps([[maybe_unused]] BufferCopy& copy, [[maybe_unused]] Deadline deadline) {
#ifdef FORBIDDEN
  static_cast<void>(copy.land(deadline));
#endif
}

}  // namespace dflash::must_not_compile
