#include "common/device/stream.h"

#include <chrono>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

void Fence::wait(Deadline deadline) const {
  const auto begin = Deadline::Clock::now();
  if (!state_->wait_until(deadline)) {
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Deadline::Clock::now() - begin);
    throw Error(ErrorKind::stall, format("device stream '{}' had not passed operation {} after another {} ms", *stream_,
                                         operation_, waited.count()));
  }
  if (const std::exception_ptr error = state_->error()) std::rethrow_exception(error);
}

}  // namespace dflash
