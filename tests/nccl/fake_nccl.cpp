#include "tests/nccl/fake_nccl.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

/// What two ranks of one id share: bytes on their way to each rank.
struct Wire {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<int, std::deque<std::vector<char>>> to_rank;
};

}  // namespace

struct ncclComm {
  std::shared_ptr<Wire> wire;
  int rank = 0;
  size_t looks_left = 0;  // for which it is in progress
  ncclResult_t afterwards = ncclSuccess;
  std::shared_ptr<std::atomic<bool>> aborted = std::make_shared<std::atomic<bool>>(false);
};

namespace dflash::fake_nccl {
namespace {

struct State {
  std::mutex mutex;  // guards what follows
  std::map<std::string, std::shared_ptr<Wire>> wires;
  std::set<ncclComm_t> alive;
  Joining joining;
  size_t transfer_looks = 0;
  ncclResult_t async_error = ncclSuccess;
  std::chrono::milliseconds abort_time{0};
  int version = NCCL_VERSION_CODE;
  size_t used_after_abort = 0;
  bool blocking = true;
  int ids = 0;
};
State& state() {
  static State& only = *new State;  // never destroyed: threads that abort may still run
  return only;
}

struct Exchange {
  std::shared_ptr<Wire> wire;
  std::shared_ptr<std::atomic<bool>> aborted;
  int to_rank = 0;
  char* bytes = nullptr;
  size_t count = 0;
};

void do_send(void* data) {
  const std::unique_ptr<Exchange> exchange(static_cast<Exchange*>(data));
  const std::lock_guard lock(exchange->wire->mutex);
  exchange->wire->to_rank[exchange->to_rank].emplace_back(exchange->bytes, exchange->bytes + exchange->count);
  exchange->wire->changed.notify_all();
}

void do_receive(void* data) {
  const std::unique_ptr<Exchange> exchange(static_cast<Exchange*>(data));
  std::unique_lock lock(exchange->wire->mutex);
  auto& coming = exchange->wire->to_rank[exchange->to_rank];
  exchange->wire->changed.wait(lock, [&] { return *exchange->aborted || !coming.empty(); });
  if (*exchange->aborted) return;
  std::memcpy(exchange->bytes, coming.front().data(), exchange->count);
  coming.pop_front();
}

/// Under the lock: whether this is a communicator that may be used.
bool usable(ncclComm_t comm) {
  if (state().alive.contains(comm)) return true;
  ++state().used_after_abort;
  return false;
}

ncclResult_t transfer(ncclComm_t comm, std::unique_ptr<Exchange> exchange, cudaStream_t stream, cudaHostFn_t work) {
  const std::lock_guard lock(state().mutex);
  if (!usable(comm)) return ncclInvalidArgument;
  exchange->wire = comm->wire;
  exchange->aborted = comm->aborted;
  if (cudaLaunchHostFunc(stream, work, exchange.get()) != cudaSuccess) return ncclUnhandledCudaError;
  static_cast<void>(exchange.release());  // the work's now
  comm->looks_left = state().transfer_looks;
  return comm->looks_left > 0 ? ncclInProgress : ncclSuccess;
}

}  // namespace

void set_joining(const Joining& joining) {
  const std::lock_guard lock(state().mutex);
  state().joining = joining;
}
void set_transfer_looks(size_t looks) {
  const std::lock_guard lock(state().mutex);
  state().transfer_looks = looks;
}
void set_async_error(int code) {
  const std::lock_guard lock(state().mutex);
  state().async_error = static_cast<ncclResult_t>(code);
}
void set_abort_time(std::chrono::milliseconds time) {
  const std::lock_guard lock(state().mutex);
  state().abort_time = time;
}
void set_version(int version) {
  const std::lock_guard lock(state().mutex);
  state().version = version != 0 ? version : NCCL_VERSION_CODE;
}
void reset() {
  set_joining({});
  set_transfer_looks(0);
  set_async_error(ncclSuccess);
  set_abort_time(std::chrono::milliseconds(0));
  set_version(0);
}
size_t communicators_alive() {
  const std::lock_guard lock(state().mutex);
  return state().alive.size();
}
size_t used_after_abort() {
  const std::lock_guard lock(state().mutex);
  return state().used_after_abort;
}
bool last_was_blocking() {
  const std::lock_guard lock(state().mutex);
  return state().blocking;
}

}  // namespace dflash::fake_nccl

using namespace dflash::fake_nccl;  // NOLINT: the functions below have no namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  const std::lock_guard lock(state().mutex);
  *version = state().version;
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard lock(state().mutex);
  std::memset(id->internal, 0, sizeof id->internal);
  std::memcpy(id->internal, &++state().ids, sizeof(int));
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclRemoteError ? "remote process exited or there was a network error" : "a fake NCCL error";
}
const char* ncclGetLastError(ncclComm_t /*comm*/) {
  return "";
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int /*ranks*/, ncclUniqueId id, int rank, ncclConfig_t* config) {
  const std::lock_guard lock(state().mutex);
  state().blocking = config->blocking != 0;
  const Joining& joining = state().joining;
  if (joining.answer != ncclSuccess && joining.answer != ncclInProgress) {
    return static_cast<ncclResult_t>(joining.answer);
  }
  std::shared_ptr<Wire>& wire = state().wires[std::string(id.internal, sizeof id.internal)];
  if (!wire) wire = std::make_shared<Wire>();
  *comm = new ncclComm{.wire = wire,
                       .rank = rank,
                       .looks_left = joining.looks,
                       .afterwards = static_cast<ncclResult_t>(joining.afterwards)};
  state().alive.insert(*comm);
  return static_cast<ncclResult_t>(joining.answer);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  const std::lock_guard lock(state().mutex);
  if (!usable(comm)) return ncclInvalidArgument;
  if (comm->looks_left > 0) {
    --comm->looks_left;
    *error = ncclInProgress;
  } else {
    *error = comm->afterwards != ncclSuccess ? comm->afterwards : state().async_error;
  }
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  std::unique_lock lock(state().mutex);
  if (!usable(comm)) return ncclInvalidArgument;
  state().alive.erase(comm);
  const std::chrono::milliseconds time = state().abort_time;
  lock.unlock();
  std::this_thread::sleep_for(time);
  {
    const std::lock_guard wire_lock(comm->wire->mutex);
    *comm->aborted = true;
    comm->wire->changed.notify_all();
  }
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t /*type*/, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  auto exchange = std::make_unique<Exchange>();
  exchange->to_rank = peer;
  exchange->bytes = static_cast<char*>(const_cast<void*>(from));
  exchange->count = count;
  return transfer(comm, std::move(exchange), stream, do_send);
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t /*type*/, int /*peer*/, ncclComm_t comm,
                      cudaStream_t stream) {
  auto exchange = std::make_unique<Exchange>();
  exchange->to_rank = comm->rank;
  exchange->bytes = static_cast<char*>(to);
  exchange->count = count;
  return transfer(comm, std::move(exchange), stream, do_receive);
}

}  // extern "C"
