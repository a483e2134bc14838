// expect: ignoring return
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void drop_of_a_taken_buffer([[maybe_unused]] Pool& pool, [[maybe_unused]] Deadline deadline) {
#ifdef FORBIDDEN
  pool.take(deadline);
#endif
}

}  // namespace dflash::must_not_compile
