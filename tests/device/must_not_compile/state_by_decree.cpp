// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void state_by_decree([[maybe_unused]] Buffer& buffer) {
#ifdef FORBIDDEN
  buffer.set_state(UseState::landed);
#endif
}

}  // namespace dflash::must_not_compile
