#include "common/nccl/nccl_comm.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/device/cuda_stream.h"

namespace dflash {
namespace {

constexpr std::chrono::microseconds kPause{200};
constexpr std::chrono::seconds kMostToConnect{60};
constexpr std::chrono::seconds kMostToEnd{5};
constexpr std::chrono::seconds kAbortPatience{10};

/// What is another rank's doing, or that of the network between; the rest is ours or this machine's.
bool is_of_a_peer(int code) {
  return code == ncclRemoteError || code == ncclSystemError;
}

}  // namespace

/// An abort that is under way on a thread of its own.
struct NcclComm::Ending {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
};

std::string make_nccl_id() {
  ncclUniqueId id;
  const ncclResult_t code = ncclGetUniqueId(&id);
  if (code != ncclSuccess) {
    throw Error(ErrorKind::config, format("NCCL: no id can be made: {} ({}); is there a network interface "
                                          "(NCCL_SOCKET_IFNAME)?",
                                          ncclGetErrorString(code), ncclGetLastError(nullptr)));
  }
  return {id.internal, sizeof id.internal};
}

NcclComm::NcclComm(const std::string& id, const NcclRanks& ranks, int device_ordinal, std::string peer_name,
                   Deadline deadline)
    : ranks_(ranks), peer_name_(std::move(peer_name)) {
  ncclUniqueId unique;
  if (id.size() != sizeof unique.internal) {
    throw Error(ErrorKind::internal,
                format("{} sends {} bytes as NCCL's id, expected {}", peer_name_, id.size(), sizeof unique.internal));
  }
  std::memcpy(unique.internal, id.data(), id.size());
  if (cudaSetDevice(device_ordinal) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw Error(ErrorKind::config, format("NCCL: GPU {} cannot be used", device_ordinal));
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.commName = "dflash";
  try {
    if (look(ncclCommInitRankConfig(&comm_, ranks.ranks, unique, ranks.rank, &config), "joining")) {
      wait_done("joining", deadline);
    }
  } catch (const Error&) {
    static_cast<void>(abort(Deadline::after(kAbortPatience)));
    throw;
  }
}

NcclComm::~NcclComm() {
  // Waited for, so that no thread is inside NCCL when the process ends and its libraries are taken down.
  if (!abort(Deadline::after(kMostToEnd))) {
    log_warn(format("NCCL: what is between here and {} does not end", peer_name_));
  }
}

bool NcclComm::look(int code, const char* doing) const {
  if (code == ncclSuccess) return false;
  if (code == ncclInProgress) return true;
  const char* last = ncclGetLastError(comm_);
  throw Error(is_of_a_peer(code) ? ErrorKind::peer_died : ErrorKind::internal,
              format("NCCL, {} {}: {}: {}", doing, peer_name_, ncclGetErrorString(static_cast<ncclResult_t>(code)),
                     last != nullptr && *last != '\0' ? last : "no more is known (NCCL_DEBUG=WARN)"));
}

void NcclComm::wait_done(const char* doing, Deadline deadline) {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (comm_ == nullptr) throw Error(ErrorKind::peer_died, format("NCCL, {} {}: aborted", doing, peer_name_));
      ncclResult_t state = ncclSuccess;
      static_cast<void>(look(ncclCommGetAsyncError(comm_, &state), doing));
      if (!look(state, doing)) return;
    }
    if (deadline.expired()) {
      throw Error(ErrorKind::stall, format("NCCL, {} {}: still in progress at the deadline", doing, peer_name_));
    }
    std::this_thread::sleep_for(kPause);
  }
}

template <typename Call>
void NcclComm::enqueue(const char* doing, Call call) {
  CUstream_st* stream = current_cuda_stream();
  if (stream == nullptr) throw Error(ErrorKind::internal, "NCCL is used outside of a kernel of a cuda stream");
  {
    const std::lock_guard lock(mutex_);
    if (comm_ == nullptr) throw Error(ErrorKind::peer_died, format("NCCL, {} {}: aborted", doing, peer_name_));
    if (!look(call(comm_, stream), doing)) return;
  }
  wait_done(doing, Deadline::after(kMostToConnect));
}

void NcclComm::send(std::span<const std::byte> bytes) {
  enqueue("sending to", [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclSend(bytes.data(), bytes.size(), ncclInt8, ranks_.peer, comm, stream);
  });
}

void NcclComm::receive(std::span<std::byte> bytes) {
  enqueue("receiving from", [&](ncclComm_t comm, cudaStream_t stream) {
    return ncclRecv(bytes.data(), bytes.size(), ncclInt8, ranks_.peer, comm, stream);
  });
}

void NcclComm::check() {
  const std::lock_guard lock(mutex_);
  if (comm_ == nullptr) throw Error(ErrorKind::peer_died, format("NCCL, talking to {}: aborted", peer_name_));
  ncclResult_t state = ncclSuccess;
  static_cast<void>(look(ncclCommGetAsyncError(comm_, &state), "talking to"));
  static_cast<void>(look(state, "talking to"));
}

bool NcclComm::abort(Deadline deadline) noexcept {
  try {
    std::shared_ptr<Ending> ending;
    {
      const std::lock_guard lock(mutex_);
      if (ncclComm_t comm = std::exchange(comm_, nullptr)) {
        ending_ = std::make_shared<Ending>();
        // NCCL may take its time, or never come back: who aborts has a deadline. From here on nobody else uses `comm`.
        std::thread([comm, shared = ending_] {
          static_cast<void>(ncclCommAbort(comm));
          const std::lock_guard done(shared->mutex);
          shared->over = true;
          shared->changed.notify_all();
        }).detach();
      }
      ending = ending_;
    }
    if (!ending) return true;  // it never was
    std::unique_lock lock(ending->mutex);
    return ending->changed.wait_until(lock, deadline.when(), [&] { return ending->over; });
  } catch (const std::exception& error) {  // no thread, no memory
    log_error(format("NCCL, ending what is between here and {}: {}", peer_name_, error.what()));
    return false;
  }
}

}  // namespace dflash
