// expect: ignoring return
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void drop_of_a_destination([[maybe_unused]] BufferCopy&& copy, [[maybe_unused]] Stream& stream) {
#ifdef FORBIDDEN
  std::move(copy).then(stream);
#endif
}

}  // namespace dflash::must_not_compile
