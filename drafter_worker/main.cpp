// drafter_worker: trains the drafter on the hidden states of all targets. It is told everything by the coordinator;
// wiring only.

#include "common/base/allocator.h"
#include "drafter_worker/drafter_run.h"
#include "drafter_worker/replay_alone.h"

namespace {

constexpr const char* kHelp =
    "drafter_worker: trains the drafter of a dflash run on the hidden states that the targets send.\n"
    "It takes its settings from the coordinator of the same mpirun:\n"
    "  mpirun -n 1 coordinator run.toml : -n T target_worker : -n D drafter_worker\n"
    "`dflash train run.toml` composes that line for you.\n\n"
    "Alone, it trains on recorded batches: drafter_worker --solo --help.\n";

}  // namespace

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  if (dflash::is_solo(argc, argv)) return dflash::replay_alone(argc, argv);
  return dflash::run_worker(argc, argv, dflash::Role::drafter, kHelp, dflash::run_drafter);
}
