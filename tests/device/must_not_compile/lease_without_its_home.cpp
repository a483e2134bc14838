// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void lease_without_its_home([[maybe_unused]] std::shared_ptr<SlotHome<TestSlot>> home) {
#ifdef FORBIDDEN
  Lease<TestSlot> lease(std::move(home), TestSlot{});
#endif
}

}  // namespace dflash::must_not_compile
