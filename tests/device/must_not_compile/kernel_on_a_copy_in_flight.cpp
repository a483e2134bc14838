// expect: no matching function for call to 'launch
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void kernel_on_a_copy_in_flight([[maybe_unused]] Stream& stream, [[maybe_unused]] BufferCopy& copy) {
#ifdef FORBIDDEN
  launch(stream, [](std::span<std::byte>) {}, copy);
#endif
}

}  // namespace dflash::must_not_compile
