// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_of_a_buffer([[maybe_unused]] const Landed<Buffer>& landed) {
#ifdef FORBIDDEN
  Buffer copy = *landed.operator->();
#endif
}

}  // namespace dflash::must_not_compile
