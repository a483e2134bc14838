// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void landed_by_decree([[maybe_unused]] Buffer&& buffer) {
#ifdef FORBIDDEN
  Landed<Buffer> landed(std::move(buffer));
#endif
}

}  // namespace dflash::must_not_compile
