// How a simulated device behaves. All chance comes from the seed and counts, so a seed gives the same delays again (not
// the same interleaving: the engines are real threads, for sanitizers to see).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "common/device/sim_gate.h"

namespace dflash {

struct SimOptions {
  uint64_t seed = 0;
  size_t copy_engines = 2;                     ///< besides the one compute engine
  bool reorder = true;                         ///< an engine takes any stream that is ready; false: the longest waiting
  std::chrono::microseconds most_delay{0};     ///< before an operation
  std::chrono::microseconds most_lateness{0};  ///< after it, before its fence passes
  size_t chunk_bytes = 0;                      ///< copies go piece by piece, in any order; 0: whole
  std::chrono::microseconds most_pause{0};     ///< between two pieces
  size_t resting_blocks = 4;                   ///< freed blocks of each pool that stay unused
  std::optional<uint64_t> fail_operation;      ///< this one throws; counted from 0 over all copies and launches
  std::optional<uint64_t> stall_operation;     ///< the engine of this one stops before it for `stall`
  std::chrono::milliseconds stall{0};
  std::shared_ptr<SimGate> gate;  ///< holds engines back for as long as a test wants
};

}  // namespace dflash
