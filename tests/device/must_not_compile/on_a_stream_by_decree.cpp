// expect: is private within this context
#include "tests/device/must_not_compile/case.h"

namespace dflash::must_not_compile {

void on_a_stream_by_decree([[maybe_unused]] std::shared_ptr<StreamCore> core,
                           [[maybe_unused]] Custody<Buffer>&& custody) {
#ifdef FORBIDDEN
  OnStream<Buffer> on(std::move(core), std::move(custody));
#endif
}

}  // namespace dflash::must_not_compile
