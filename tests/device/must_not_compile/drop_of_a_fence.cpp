// expect: ignoring return
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void drop_of_a_fence([[maybe_unused]] Stream& stream) {
#ifdef FORBIDDEN
  stream.record();
#endif
}

}  // namespace dflash::must_not_compile
