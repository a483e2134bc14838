// PersistentTransfer: one block of bytes that goes to one rank, or comes from it, again and again. MPI learns of the
// block once; a transfer of it is then only started. Blocks of any size: they go in chunks of at most 1 GiB.
//
//   transfer.start();
//   while (!transfer.done()) ...      the block belongs to MPI
//
// Transfers with equal tags between the same two ranks are matched in the order in which they were started.
//
// Threading: one thread at a time. Owns: a share of the block; when MPI may still touch it at destruction (the other
// side did not take or send it), the block is left to MPI for the life of the process.
#pragma once

#include <cstddef>
#include <memory>

#include "common/mpi/own_comm.h"

namespace dflash {

class PersistentTransfer {
 public:
  static constexpr size_t kMostChunkBytes = size_t{1} << 30;

  /// The first `bytes` of `block` to or from `rank`. Errors of MPI are Error{internal}.
  [[nodiscard]] static PersistentTransfer to(const OwnComm& comm, int rank, int tag, std::shared_ptr<std::byte[]> block,
                                             size_t bytes);
  [[nodiscard]] static PersistentTransfer from(const OwnComm& comm, int rank, int tag,
                                               std::shared_ptr<std::byte[]> block, size_t bytes);
  PersistentTransfer(PersistentTransfer&& other) noexcept;
  PersistentTransfer& operator=(PersistentTransfer&&) = delete;
  ~PersistentTransfer();

  /// Only when done.
  void start();
  /// True when no transfer is under way: none was started, or the last one is complete. Lets MPI work a little.
  [[nodiscard]] bool done();

 private:
  struct State;
  explicit PersistentTransfer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace dflash
