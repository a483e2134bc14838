// expect: has no member named 'host_view'
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void view_of_what_is_in_flight([[maybe_unused]] BufferCopy& copy) {
#ifdef FORBIDDEN
  static_cast<void>(copy.host_view());
#endif
}

}  // namespace dflash::must_not_compile
