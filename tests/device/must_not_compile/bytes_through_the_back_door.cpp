// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void bytes_through_the_back_door([[maybe_unused]] const Buffer& buffer) {
#ifdef FORBIDDEN
  static_cast<void>(DeviceAccess::bytes(buffer));
#endif
}

}  // namespace dflash::must_not_compile
