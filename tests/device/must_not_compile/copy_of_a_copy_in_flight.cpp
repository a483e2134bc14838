// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_of_a_copy_in_flight([[maybe_unused]] const BufferCopy& copy) {
#ifdef FORBIDDEN
  BufferCopy second = copy;
#endif
}

}  // namespace dflash::must_not_compile
