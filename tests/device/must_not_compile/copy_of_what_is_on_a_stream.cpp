// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_of_what_is_on_a_stream([[maybe_unused]] const OnStream<Buffer>& on) {
#ifdef FORBIDDEN
  OnStream<Buffer> second = on;
#endif
}

}  // namespace dflash::must_not_compile
