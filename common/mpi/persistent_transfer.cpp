#include "common/mpi/persistent_transfer.h"

#include <mpi.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/mpi/mpi_call.h"

namespace dflash {

struct PersistentTransfer::State {
  std::shared_ptr<std::byte[]> block;
  bool receives = false;
  std::vector<MPI_Request> requests;  // one per chunk

  [[nodiscard]] int count() const { return static_cast<int>(requests.size()); }
  /// For destructors: whether MPI has let go of the block.
  [[nodiscard]] bool let_go() noexcept {
    int flag = 0;
    return MPI_Testall(count(), requests.data(), &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag != 0;
  }

  template <typename Init>
  static std::unique_ptr<State> make(std::shared_ptr<std::byte[]> block, size_t bytes, bool receives, Init init) {
    auto state = std::make_unique<State>(State{std::move(block), receives, {}});
    for (size_t offset = 0; offset < bytes; offset += kMostChunkBytes) {
      const size_t chunk_bytes = std::min(bytes - offset, kMostChunkBytes);
      init(state->block.get() + offset, static_cast<int>(chunk_bytes), &state->requests.emplace_back(MPI_REQUEST_NULL));
    }
    return state;
  }
};

PersistentTransfer PersistentTransfer::to(const OwnComm& comm, int rank, int tag, std::shared_ptr<std::byte[]> block,
                                          size_t bytes) {
  MPI_Comm const mpi_comm = MPI_Comm_f2c(comm.handle());
  return PersistentTransfer(
      State::make(std::move(block), bytes, false, [&](std::byte* begin, int count, MPI_Request* request) {
        check_mpi(MPI_Send_init(begin, count, MPI_BYTE, rank, tag, mpi_comm, request), "MPI_Send_init");
      }));
}

PersistentTransfer PersistentTransfer::from(const OwnComm& comm, int rank, int tag, std::shared_ptr<std::byte[]> block,
                                            size_t bytes) {
  MPI_Comm const mpi_comm = MPI_Comm_f2c(comm.handle());
  return PersistentTransfer(
      State::make(std::move(block), bytes, true, [&](std::byte* begin, int count, MPI_Request* request) {
        check_mpi(MPI_Recv_init(begin, count, MPI_BYTE, rank, tag, mpi_comm, request), "MPI_Recv_init");
      }));
}

PersistentTransfer::PersistentTransfer(std::unique_ptr<State> state) : state_(std::move(state)) {}

PersistentTransfer::PersistentTransfer(PersistentTransfer&&) noexcept = default;

PersistentTransfer::~PersistentTransfer() {
  if (!state_) return;
  if (!state_->let_go() && state_->receives) {
    for (MPI_Request& request : state_->requests) MPI_Cancel(&request);
  }
  if (state_->let_go()) {
    for (MPI_Request& request : state_->requests) MPI_Request_free(&request);
  } else {
    leave_to_mpi(std::move(state_));
  }
}

void PersistentTransfer::start() {
  check_mpi(MPI_Startall(state_->count(), state_->requests.data()), "MPI_Startall");
}

bool PersistentTransfer::done() {
  int flag = 0;
  check_mpi(MPI_Testall(state_->count(), state_->requests.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
  return flag != 0;
}

}  // namespace dflash
