#include "common/mpi/byte_link.h"

#include <mpi.h>

#include <list>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/mpi/mpi_call.h"
#include "common/mpi/own_comm.h"

namespace dflash {

namespace {

constexpr int kTag = 0;

/// True when the request is complete.
bool test(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

struct Leaving {
  int rank;
  std::string bytes;
  MPI_Request request;
};

}  // namespace

struct ByteLink::State {
  explicit State(const RoleMap& role_map) : roles(role_map) {}

  const RoleMap roles;
  const OwnComm own_comm = OwnComm::of_world();
  const MPI_Comm comm = MPI_Comm_f2c(own_comm.handle());
  std::list<Leaving> leaving;  // a list, because MPI reads the strings where they lie

  void forget_what_left() {
    std::erase_if(leaving, [](Leaving& message) { return test(message.request); });
  }
  /// The cheap half of it: looks no further than the first that still leaves, unless there is no room for more.
  void forget_the_oldest_that_left() {
    while (!leaving.empty() && test(leaving.front().request)) leaving.pop_front();
    if (leaving.size() >= kMostLeaving) forget_what_left();
  }
};

ByteLink::ByteLink(const RoleMap& roles) : state_(std::make_unique<State>(roles)) {}

ByteLink::~ByteLink() {
  // Only after an error is anything left; nothing waits for it here.
  if (!state_->leaving.empty()) leave_to_mpi(std::move(state_));
}

const RoleMap& ByteLink::roles() const {
  return state_->roles;
}

void ByteLink::send(int rank, std::string bytes) {
  if (bytes.size() > kMostBytes) {
    throw Error(ErrorKind::internal, format("a message of {} bytes to {} is larger than the {} that may be sent",
                                            bytes.size(), state_->roles.describe(rank), kMostBytes));
  }
  state_->forget_the_oldest_that_left();
  if (state_->leaving.size() >= kMostLeaving) {
    throw Error(ErrorKind::stall, format("{} messages are on their way and not taken, the oldest by {}", kMostLeaving,
                                         state_->roles.describe(state_->leaving.front().rank)));
  }
  Leaving& message = state_->leaving.emplace_back(Leaving{rank, std::move(bytes), MPI_REQUEST_NULL});
  check_mpi(MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, rank, kTag, state_->comm,
                      &message.request),
            "MPI_Isend");
}

std::optional<IncomingBytes> ByteLink::poll() {
  state_->forget_the_oldest_that_left();
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, kTag, state_->comm, &found, &message, &status), "MPI_Improbe");
  if (found == 0) return std::nullopt;
  int byte_count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &byte_count), "MPI_Get_count");
  if (std::cmp_greater(byte_count, kMostBytes)) {
    throw Error(ErrorKind::internal, format("{} sent a message of {} bytes; at most {} were expected",
                                            state_->roles.describe(status.MPI_SOURCE), byte_count, kMostBytes));
  }
  IncomingBytes incoming{status.MPI_SOURCE, std::string(static_cast<size_t>(byte_count), '\0')};
  check_mpi(MPI_Mrecv(incoming.bytes.data(), byte_count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return incoming;
}

std::optional<IncomingBytes> ByteLink::wait(Deadline deadline) {
  std::optional<IncomingBytes> incoming;
  (void)poll_until(deadline, [&] { return (incoming = poll()).has_value(); });
  return incoming;
}

void ByteLink::flush(Deadline deadline) {
  const bool done = poll_until(deadline, [&] {
    state_->forget_what_left();
    return state_->leaving.empty();
  });
  if (done) return;
  throw Error(ErrorKind::stall, format("{} messages did not leave within the time, the oldest to {}",
                                       state_->leaving.size(), state_->roles.describe(state_->leaving.front().rank)));
}

}  // namespace dflash
