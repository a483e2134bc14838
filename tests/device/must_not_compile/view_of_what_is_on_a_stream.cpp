// expect: has no member named 'host_view'
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void view_of_what_is_on_a_stream([[maybe_unused]] OnStream<Buffer>& on) {
#ifdef FORBIDDEN
  static_cast<void>(on.host_view());
#endif
}

}  // namespace dflash::must_not_compile
