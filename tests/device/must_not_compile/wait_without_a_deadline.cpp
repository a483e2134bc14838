// expect: no matching function for call to 'dflash::Fence::wait() const'
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void wait_without_a_deadline([[maybe_unused]] const Fence& fence) {
#ifdef FORBIDDEN
  fence.wait();
#endif
}

}  // namespace dflash::must_not_compile
