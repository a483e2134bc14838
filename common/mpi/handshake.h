// A worker's half of the start of a run: Hello -> Welcome -> Ready -> Start (the coordinator's:
// coordinator/roll_call.h). After it all ranks run the same build with the same settings and would lay out a batch in
// the same way.
#pragma once

#include <cstdint>

#include "common/mpi/worker_control.h"

namespace dflash {

/// What must be equal on every rank. data is compared for targets only.
struct AgreedHashes {
  uint64_t config = 0;
  uint64_t layout = 0;
  uint64_t data = 0;
};

/// Hash of the sources and the compiler: equal for programs that were built together.
[[nodiscard]] uint64_t build_hash();

/// Says Hello, returns the settings of the run and where it goes on from.
[[nodiscard]] Welcome join_run(WorkerControl& control, Deadline deadline);
/// Says Ready, waits for Start. A drafter has no data: its hash is not sent.
[[nodiscard]] Start report_ready(WorkerControl& control, Role role, const AgreedHashes& hashes, Deadline deadline);

/// The name of a message in control.proto: "step_report".
[[nodiscard]] std::string message_name(const ControlMessage& message);

}  // namespace dflash
