// expect: could not convert
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void publish_of_what_is_on_a_stream([[maybe_unused]] OnStream<Lease<TestSlot>>&& on) {
#ifdef FORBIDDEN
  publish(std::move(on));
#endif
}

}  // namespace dflash::must_not_compile
