// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_of_a_landed_buffer([[maybe_unused]] const Landed<Buffer>& landed) {
#ifdef FORBIDDEN
  Landed<Buffer> copy = landed;
#endif
}

}  // namespace dflash::must_not_compile
