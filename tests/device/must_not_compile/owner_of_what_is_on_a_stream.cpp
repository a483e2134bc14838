// expect: base operand of '->' has non-pointer type
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void owner_of_what_is_on_a_stream([[maybe_unused]] OnStream<Buffer>& on) {
#ifdef FORBIDDEN
  static_cast<void>(on->size_bytes());
#endif
}

}  // namespace dflash::must_not_compile
