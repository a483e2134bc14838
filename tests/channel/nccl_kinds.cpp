// The contract suite over nccl: two ports in one process, on simulated devices, over a played transport.
#include "tests/channel/nccl_ends.h"

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  return {{"nccl_thread",
           [](const ChannelShape& shape, Bootstrap& line, Deadline deadline) -> std::unique_ptr<Receiver> {
             return std::make_unique<ReceiverOfProcess>(shape, line, deadline);
           },
           [](const ChannelShape& shape, Bootstrap& line, Deadline deadline) -> std::unique_ptr<Sender> {
             return std::make_unique<SenderOfProcess>(shape, line, deadline);
           },
           run_in_thread, false, /*frames_wait_in_memory=*/false}};  // headers travel with the offers
}
