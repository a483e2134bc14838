// expect: assignment of read-only location
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void write_through_a_const_view([[maybe_unused]] const Landed<Buffer>& landed) {
#ifdef FORBIDDEN
  landed.host_view()[0] = std::byte{1};
#endif
}

}  // namespace dflash::must_not_compile
