// The contract suite over shm: the sender in another thread, and in a process of its own.
#include "common/channel/shm_channel.h"
#include "tests/channel/channel_contract.h"

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  return {{"shm_thread", make_shm_receiver, make_shm_sender, run_in_thread, false},
          {"shm_process", make_shm_receiver, make_shm_sender, run_in_process, true}};
}
