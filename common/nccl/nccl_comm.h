// NcclComm: one NCCL communicator that never blocks: made, used and ended under deadlines. Internal to this room.
//
//   NcclComm comm(id, {.ranks = 2, .rank = 1, .peer = 0}, ordinal, "drafter 1", deadline);
//   comm.send(bytes);            inside a kernel of a cuda stream (cuda_stream.h): enqueues to that stream
//   comm.check();                throws what NCCL has met since
//   comm.abort(deadline);        ends what is enqueued, undone
//
// Threading: any thread; a call that waits lets abort() in. Owns: the communicator, and until it is done the thread
// that aborts it. The destructor aborts without waiting.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "common/base/deadline.h"

struct ncclComm;  // what NCCL's handle ncclComm_t points to

namespace dflash {

/// 128 bytes that name a communicator to all its ranks.
[[nodiscard]] std::string make_nccl_id();

/// Who takes part. `peer` is the rank that is sent to and received from.
struct NcclRanks {
  int ranks = 2;
  int rank = 0;
  int peer = 1;
};

class NcclComm {
 public:
  /// Waits for the other ranks. Error{stall} when they do not come in time, {peer_died} or {internal} with NCCL's
  /// words when it fails, {internal} for an id that is none.
  NcclComm(const std::string& id, const NcclRanks& ranks, int device_ordinal, std::string peer_name, Deadline deadline);
  ~NcclComm();
  NcclComm(const NcclComm&) = delete;
  NcclComm& operator=(const NcclComm&) = delete;

  /// Return when the transfer is enqueued; the first one of a pair of ranks waits until both are connected. Error
  /// {peer_died} or {internal} as above, {stall} when they are not connected in a minute, {internal} outside a kernel.
  void send(std::span<const std::byte> bytes);
  void receive(std::span<std::byte> bytes);

  void check();
  /// False when NCCL has not ended it in time; then its thread goes on, and what the transfers use stays taken.
  [[nodiscard]] bool abort(Deadline deadline) noexcept;
  [[nodiscard]] const std::string& peer_name() const { return peer_name_; }

 private:
  struct Ending;
  /// One NCCL call on the communicator, then waits while it is in progress.
  template <typename Call>
  void enqueue(const char* doing, Call call);
  void wait_done(const char* doing, Deadline deadline);
  /// Throws unless NCCL says success or in progress; true: in progress.
  bool look(int code, const char* doing) const;

  const NcclRanks ranks_;
  const std::string peer_name_;
  std::mutex mutex_;          // guards what follows
  ncclComm* comm_ = nullptr;  // null once aborted
  std::shared_ptr<Ending> ending_;
};

}  // namespace dflash
