// expect: as 'this' argument discards qualifiers
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void on_a_stream_and_on_the_host([[maybe_unused]] Landed<Buffer>& landed, [[maybe_unused]] Stream& stream) {
#ifdef FORBIDDEN
  static_cast<void>(landed.on(stream));
#endif
}

}  // namespace dflash::must_not_compile
