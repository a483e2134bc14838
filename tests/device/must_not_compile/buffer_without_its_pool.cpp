// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void buffer_without_its_pool([[maybe_unused]] std::shared_ptr<PoolBlocks> blocks) {
#ifdef FORBIDDEN
  Buffer buffer(std::move(blocks), 0);
#endif
}

}  // namespace dflash::must_not_compile
