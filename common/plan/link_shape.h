// The ring of every target -> drafter link of a plan: both ends make it from this.
#pragma once

#include "common/channel/channel.h"
#include "common/plan/run_plan.h"

namespace dflash {

[[nodiscard]] inline ChannelShape link_shape(const RunPlan& plan) {
  return {plan.layout.slot_bytes, static_cast<size_t>(plan.slots_per_link), plan.layout.hash()};
}

}  // namespace dflash
