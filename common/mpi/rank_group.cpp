#include "common/mpi/rank_group.h"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/mpi/mpi_call.h"
#include "common/mpi/own_comm.h"

namespace dflash {
namespace {

constexpr int kTag = 0;
constexpr size_t kMostChunkBytes = size_t{1} << 28;
// Short, because every look moves a piece of a large message on.
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::microseconds(100);

/// Messages between this rank and others that are under way together.
class Exchange {
 public:
  Exchange(MPI_Comm comm, const char* what) : comm_(comm), what_(what) {}

  void send(int rank, const void* data, size_t bytes) {
    for_chunks(bytes, [&](size_t begin, int count) {
      check_mpi(MPI_Isend(static_cast<const char*>(data) + begin, count, MPI_BYTE, rank, kTag, comm_, add(rank, false)),
                "MPI_Isend");
    });
  }
  void receive(int rank, void* data, size_t bytes) {
    for_chunks(bytes, [&](size_t begin, int count) {
      check_mpi(MPI_Irecv(static_cast<char*>(data) + begin, count, MPI_BYTE, rank, kTag, comm_, add(rank, true)),
                "MPI_Irecv");
    });
  }
  /// Until all have come and left. What is still to come is called off when the deadline passes.
  void finish(const RoleMap& roles, Deadline deadline) {
    GrowingPause pause(kLongestPause);
    if (poll_until(deadline, [&] { return all_done(); }, pause)) return;
    std::string names;
    for (Message& message : messages_) {
      if (message.request == MPI_REQUEST_NULL) continue;
      if (names.find(roles.describe(message.rank)) == std::string::npos) {
        names += (names.empty() ? "" : ", ") + roles.describe(message.rank);
      }
      if (message.incoming) MPI_Cancel(&message.request);
      MPI_Request_free(&message.request);
    }
    throw Error(ErrorKind::stall, format("{}: no word in time from {}", what_, names));
  }

 private:
  struct Message {
    int rank;
    bool incoming;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MPI_Request* add(int rank, bool incoming) { return &messages_.emplace_back(Message{rank, incoming}).request; }

  template <typename Start>
  void for_chunks(size_t bytes, Start start) {
    for (size_t begin = 0; begin < bytes; begin += kMostChunkBytes) {
      start(begin, static_cast<int>(std::min(kMostChunkBytes, bytes - begin)));
    }
  }
  bool all_done() {
    bool all = true;
    for (Message& message : messages_) {
      int done = 0;
      check_mpi(MPI_Test(&message.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      all = all && done != 0;
    }
    return all;
  }

  MPI_Comm comm_;
  const char* what_;
  std::vector<Message> messages_;
};

}  // namespace

struct RankGroup::State {
  RoleMap roles;
  std::vector<int> members;
  int index = -1;
  OwnComm own_comm = OwnComm::of_world();
  MPI_Comm comm = MPI_Comm_f2c(own_comm.handle());
  std::vector<float> parts = {};  // the members' values of the own slice, one after the other

  [[nodiscard]] size_t size() const { return members.size(); }
  [[nodiscard]] size_t own() const { return static_cast<size_t>(index); }
  /// Member m adds up the values of slice m.
  [[nodiscard]] std::span<float> slice(std::span<float> values, size_t m) const {
    const size_t begin = values.size() * m / size(), end = values.size() * (m + 1) / size();
    return values.subspan(begin, end - begin);
  }

  void collect_own_slice(std::span<float> values, const char* what, Deadline deadline) {
    const std::span<float> own_slice = slice(values, own());
    parts.resize(size() * own_slice.size());
    Exchange exchange(comm, what);
    for (size_t m = 0; m < size(); ++m) {
      float* part = parts.data() + m * own_slice.size();
      if (m == own()) {
        std::copy(own_slice.begin(), own_slice.end(), part);
        continue;
      }
      const std::span<float> theirs = slice(values, m);
      exchange.receive(members[m], part, own_slice.size_bytes());
      exchange.send(members[m], theirs.data(), theirs.size_bytes());
    }
    exchange.finish(roles, deadline);
    std::copy_n(parts.begin(), own_slice.size(), own_slice.begin());
    for (size_t m = 1; m < size(); ++m) {
      const float* part = parts.data() + m * own_slice.size();
      for (size_t i = 0; i < own_slice.size(); ++i) own_slice[i] += part[i];
    }
  }

  void spread_own_slice(std::span<float> values, const char* what, Deadline deadline) const {
    const std::span<float> own_slice = slice(values, own());
    Exchange exchange(comm, what);
    for (size_t m = 0; m < size(); ++m) {
      if (m == own()) continue;
      const std::span<float> theirs = slice(values, m);
      exchange.receive(members[m], theirs.data(), theirs.size_bytes());
      exchange.send(members[m], own_slice.data(), own_slice.size_bytes());
    }
    exchange.finish(roles, deadline);
  }
};

RankGroup::RankGroup(const RoleMap& roles, Role role)
    : state_(new State{.roles = roles, .members = roles.ranks_of(role)}) {
  if (roles.own_role() == role) state_->index = roles.own_index();
}

RankGroup::~RankGroup() = default;

int RankGroup::size() const {
  return static_cast<int>(state_->members.size());
}

int RankGroup::index() const {
  return state_->index;
}

void RankGroup::sum(std::span<float> values, const char* what, Deadline deadline) {
  if (size() == 1) return;
  state_->collect_own_slice(values, what, deadline);
  state_->spread_own_slice(values, what, deadline);
}

double RankGroup::sum(double value, const char* what, Deadline deadline) {
  std::vector<double> values(state_->size());
  values[state_->own()] = value;
  Exchange exchange(state_->comm, what);
  for (size_t m = 0; m < values.size(); ++m) {
    if (m == state_->own()) continue;
    exchange.receive(state_->members[m], &values[m], sizeof(double));
    exchange.send(state_->members[m], &values[state_->own()], sizeof(double));
  }
  exchange.finish(state_->roles, deadline);
  double total = 0;
  for (const double part : values) total += part;
  return total;
}

std::string RankGroup::broadcast(const std::string& text, const char* what, Deadline deadline) {
  if (size() == 1) return text;
  if (text.size() >= kMostTextBytes) {
    throw Error(ErrorKind::internal, format("{}: a text of {} bytes is too long", what, text.size()));
  }
  std::vector<char> bytes(kMostTextBytes);  // ends with 0
  Exchange exchange(state_->comm, what);
  if (state_->index == 0) {
    std::copy(text.begin(), text.end(), bytes.begin());
    for (size_t m = 1; m < state_->size(); ++m) exchange.send(state_->members[m], bytes.data(), bytes.size());
  } else {
    exchange.receive(state_->members[0], bytes.data(), bytes.size());
  }
  exchange.finish(state_->roles, deadline);
  return bytes.data();
}

}  // namespace dflash
