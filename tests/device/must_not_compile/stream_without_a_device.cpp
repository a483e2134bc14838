// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void stream_without_a_device([[maybe_unused]] std::shared_ptr<StreamCore> core) {
#ifdef FORBIDDEN
  Stream stream(std::move(core));
#endif
}

}  // namespace dflash::must_not_compile
