// expect: no matching function for call to 'copy_async
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_that_takes_nothing_over([[maybe_unused]] Stream& stream, [[maybe_unused]] Landed<Buffer>& from,
                                  [[maybe_unused]] Landed<Buffer>&& to) {
#ifdef FORBIDDEN
  static_cast<void>(copy_async(stream, from, std::move(to)));
#endif
}

}  // namespace dflash::must_not_compile
