#include "coordinator/checkpoint_controller.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

CheckpointController::CheckpointController(int64_t total_steps, int64_t every_steps)
    : total_steps_(total_steps), every_steps_(every_steps == 0 ? total_steps : every_steps) {}

std::optional<int64_t> CheckpointController::next_request() {
  if (open_ || requested_ == total_steps_) return std::nullopt;
  requested_ = requested_ < 0 ? 0 : std::min(requested_ + every_steps_, total_steps_);
  open_ = true;
  return requested_;
}

void CheckpointController::part_received(int64_t step) {
  if (!open_ || step != requested_) {
    const std::string expected = open_ ? format("that of step {}", requested_) : "none";
    throw Error(ErrorKind::internal,
                format("the part of a checkpoint of step {} arrived, expected {}", step, expected));
  }
  open_ = false;
}

}  // namespace dflash
