// expect: ignoring return
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void drop_of_what_landed([[maybe_unused]] OnStream<Buffer>&& on, [[maybe_unused]] Deadline deadline) {
#ifdef FORBIDDEN
  std::move(on).land(deadline);
#endif
}

}  // namespace dflash::must_not_compile
