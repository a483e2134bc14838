// NCCL, simulated: the functions that NcclComm calls, between two communicators of one process, on the streams of the
// fake CUDA runtime (tests/device/fake_cuda.h). Linked into a test it stands for libnccl.
//
// It knows what NCCL promises, not what a network does. A receive blocks its stream until the send is there, or its
// communicator is aborted.
#pragma once

#include <chrono>
#include <cstddef>

namespace dflash::fake_nccl {

/// How the next communicators come about: what ncclCommInitRankConfig answers, and what it is after so many looks.
struct Joining {
  int answer = 7;      // ncclInProgress
  size_t looks = 3;    // for which it stays in progress
  int afterwards = 0;  // ncclSuccess, or what joining ends with
};
void set_joining(const Joining& joining);

/// Every transfer answers "in progress", and is for so many looks.
void set_transfer_looks(size_t looks);
/// From now on every communicator says that it has met this.
void set_async_error(int code);
/// How long an abort takes.
void set_abort_time(std::chrono::milliseconds time);
/// What ncclGetVersion says; 0: that of the header.
void set_version(int version);
/// As after the start, once everything made is aborted.
void reset();

[[nodiscard]] size_t communicators_alive();
[[nodiscard]] size_t used_after_abort();
[[nodiscard]] bool last_was_blocking();

}  // namespace dflash::fake_nccl
