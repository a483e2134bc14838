// expect: as 'this' argument discards qualifiers
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void then_of_a_copy_somebody_keeps([[maybe_unused]] BufferCopy& copy, [[maybe_unused]] Stream& stream) {
#ifdef FORBIDDEN
  static_cast<void>(copy.then(stream));
#endif
}

}  // namespace dflash::must_not_compile
