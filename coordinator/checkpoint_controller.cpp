#include "coordinator/checkpoint_controller.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

CheckpointController::CheckpointController(int64_t total_steps, int64_t every_steps,
                                           std::optional<int64_t> resumed_from)
    : total_steps_(total_steps),
      every_steps_(every_steps == 0 ? total_steps : every_steps),
      requested_(resumed_from.value_or(-1)) {
  if (resumed_from == total_steps) final_step_ = total_steps;
}

std::optional<int64_t> CheckpointController::next_request() {
  if (open_ || final_step_ || requested_ == total_steps_) return std::nullopt;
  requested_ = requested_ < 0 ? 0 : std::min((requested_ / every_steps_ + 1) * every_steps_, total_steps_);
  open_ = true;
  return requested_;
}

void CheckpointController::part_received(int64_t step, bool final) {
  const bool asked_for = open_ && step == requested_;
  if (final_step_ || (!asked_for && !final)) {
    const std::string expected = open_ ? format("that of step {}", requested_) : "none";
    throw Error(ErrorKind::internal,
                format("the part of a checkpoint of step {} arrived, expected {}", step, expected));
  }
  open_ = false;
  if (final) final_step_ = step;
}

}  // namespace dflash
