// expect: ignoring return
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void drop_of_a_copy([[maybe_unused]] Stream& stream, [[maybe_unused]] Landed<Buffer>&& from,
                    [[maybe_unused]] Landed<Buffer>&& to) {
#ifdef FORBIDDEN
  copy_async(stream, std::move(from), std::move(to));
#endif
}

}  // namespace dflash::must_not_compile
