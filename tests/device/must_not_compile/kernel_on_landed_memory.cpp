// expect: no matching function for call to 'launch
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void kernel_on_landed_memory([[maybe_unused]] Stream& stream, [[maybe_unused]] Landed<Buffer>& landed) {
#ifdef FORBIDDEN
  launch(stream, [](std::span<std::byte>) {}, landed);
#endif
}

}  // namespace dflash::must_not_compile
