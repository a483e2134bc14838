// A drafter that runs alone: no MPI, and a recorded folder for the targets. Coordinator and drafter are those of every
// run, as two threads of one process: the same files, the same bits. This is the one place where a worker includes
// coordinator/.
#pragma once

namespace dflash {

/// The whole program. Returns its exit code.
[[nodiscard]] int replay_alone(int argc, char** argv);

}  // namespace dflash
