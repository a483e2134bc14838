#include "common/plan/run_device.h"

#include "common/base/log.h"

namespace dflash {
namespace {

/// Late enough to meet a missing wait in every batch, and still a small share of a step.
SimOptions sim_options(uint64_t seed) {
  SimOptions options;
  options.seed = seed;
  options.most_delay = std::chrono::microseconds(300);
  options.most_lateness = std::chrono::microseconds(200);
  options.chunk_bytes = size_t{64} << 10;
  options.resting_blocks = 1;
  return options;
}

}  // namespace

Device make_run_device(const RunSection& settings, int worker) {
  if (settings.device() == RunSection::sim) {
    return Device::sim(sim_options(settings.seed() + (static_cast<uint64_t>(worker) << 32)));
  }
  return Device::cpu();
}

DrainAtEnd::~DrainAtEnd() {
  if (!device_.drain(Deadline::after(std::chrono::seconds(10)))) {
    log_warn("the device has not ended what was given up, and what it works on is let go all the same");
  }
}

}  // namespace dflash
