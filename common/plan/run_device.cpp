#include "common/plan/run_device.h"

#include <exception>

#include "common/base/error.h"
#include "common/base/format.h"
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

CudaDevices usable_gpus() {
  CudaDevices devices = cuda_devices();
  if (devices.count > 0) return devices;
  throw Error(ErrorKind::config,
              format("run.device = cuda, but no GPU can be used here: {}; `dflash doctor` says more, "
                     "run.device = cpu needs none",
                     devices.why_none));
}

}  // namespace

void check_run_device(const RunSection& settings) {
  if (settings.device() == RunSection::cuda) static_cast<void>(usable_gpus());
}

std::string describe_run_device(const RunSection& settings) {
  switch (settings.device()) {
    case RunSection::cuda:
      return format("cuda: {} GPU(s) here, shared by the workers in turn", usable_gpus().count);
    case RunSection::sim:
      return "sim: a simulated device, on the CPU";
    default:
      return "cpu";
  }
}

CudaChoice gpu_of(const RoleMap& roles, int rank) {
  int before = 0, all = 0;
  for (const int other : roles.workers()) {
    if (!roles.same_node(other, rank)) continue;
    if (other < rank) ++before;
    ++all;
  }
  return choose_cuda_device(before, all, usable_gpus().count);
}

RunPlace place_on_node(const RunSection& settings, const RoleMap& roles) {
  const int own = roles.own_rank();
  if (settings.device() != RunSection::cuda) return {own, -1, "device " + describe_run_device(settings)};
  const CudaChoice choice = gpu_of(roles, own);
  return {own, choice.ordinal, "device cuda: " + choice.text};
}

Device make_run_device(const RunSection& settings, const RunPlace& place) {
  switch (settings.device()) {
    case RunSection::cuda:
      return Device::cuda(place.cuda_ordinal);
    case RunSection::sim:
      return Device::sim(sim_options(settings.seed() + (static_cast<uint64_t>(place.worker) << 32)));
    default:
      return Device::cpu();
  }
}

DrainAtEnd::~DrainAtEnd() {
  // A worker that leaves with an error is to say so soon.
  const auto patience = std::chrono::seconds(std::uncaught_exceptions() > 0 ? 2 : 10);
  if (!device_.drain(Deadline::after(patience))) {
    log_warn("the device has not ended what was given up, and what it works on is let go all the same");
  }
}

}  // namespace dflash
