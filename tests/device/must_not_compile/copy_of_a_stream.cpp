// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_of_a_stream([[maybe_unused]] const Stream& stream) {
#ifdef FORBIDDEN
  Stream second = stream;
#endif
}

}  // namespace dflash::must_not_compile
