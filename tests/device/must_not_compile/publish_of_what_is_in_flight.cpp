// expect: could not convert
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void publish_of_what_is_in_flight([[maybe_unused]] InFlight<Buffer, Lease<TestSlot>>&& copy) {
#ifdef FORBIDDEN
  publish(std::move(copy));
#endif
}

}  // namespace dflash::must_not_compile
