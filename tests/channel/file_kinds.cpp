// The contract suite over a folder: the sender in another thread, and in a process of its own.
#include <atomic>

#include "common/channel/file_channel.h"
#include "tests/channel/channel_contract.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

/// Every channel has a folder of its own, whichever process its receiver lives in.
std::unique_ptr<Receiver> make_receiver_of_new_folder(const ChannelShape& shape, Bootstrap& line, Deadline deadline) {
  static const TempFolder folder;
  static std::atomic<int> number = 0;
  const std::string name = std::to_string(getpid()) + "-" + std::to_string(number++);
  return make_file_receiver(shape, line, deadline, folder.path() / name);
}

}  // namespace
}  // namespace dflash

std::vector<dflash::TestedKind> dflash::tested_kinds() {
  const auto make_receiver = make_receiver_of_new_folder;
  return {{"file_thread", make_receiver, make_file_sender, run_in_thread, false, false},
          {"file_process", make_receiver, make_file_sender, run_in_process, true, false}};
}
