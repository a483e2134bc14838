// expect: no matching function for call to 'copy_async
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void copy_from_a_copy_in_flight([[maybe_unused]] Stream& stream, [[maybe_unused]] BufferCopy&& from,
                                [[maybe_unused]] Landed<Buffer>&& to) {
#ifdef FORBIDDEN
  static_cast<void>(copy_async(stream, std::move(from), std::move(to)));
#endif
}

}  // namespace dflash::must_not_compile
