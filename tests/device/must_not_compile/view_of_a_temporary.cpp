// expect: use of deleted function
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void view_of_a_temporary([[maybe_unused]] OnStream<Buffer>&& on, [[maybe_unused]] Deadline deadline) {
  Landed<Buffer> landed = std::move(on).land(deadline);
#ifdef FORBIDDEN
  std::move(landed).host_view();
#endif
}

}  // namespace dflash::must_not_compile
