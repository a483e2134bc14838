// expect: no matching function for call to 'launch
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void kernel_that_takes_less([[maybe_unused]] Stream& stream, [[maybe_unused]] OnStream<Buffer>& on) {
#ifdef FORBIDDEN
  launch(stream, [] {}, on);
#endif
}

}  // namespace dflash::must_not_compile
