// Crew: the workers of a run as the coordinator sees them: their messages, where they are, and whether they live.
//
// While the coordinator waits for messages, heartbeats are taken here, and what ends a run is thrown: a worker's
// Failure, a worker's death, a stall. Death is seen at once on the coordinator's own node (process descriptors); of a
// rank elsewhere mpirun tells, by a signal (ping then names it).
//
// Threading: one thread. Owns nothing but the messages that wait.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/process.h"
#include "common/mpi/control_link.h"
#include "coordinator/peer_watch.h"

namespace dflash {

class Crew {
 public:
  /// Link and roles must outlive the crew.
  Crew(ControlLink& link, const RoleMap& roles, double stall_timeout_s);
  /// Once the settings are known. Everybody counts as heard now.
  void set_stall_timeout(double stall_timeout_s) { watch_.emplace(roles_, stall_timeout_s, Clock::now()); }

  [[nodiscard]] const RoleMap& roles() const { return roles_; }
  void send(int rank, const ControlMessage& message) { link_.send(rank, message); }
  void send_to_all(const ControlMessage& message);
  /// Waits until every message has left.
  void flush(Deadline deadline) { link_.flush(deadline); }

  /// The next message about work; nothing when the deadline passes. RunFailure as said above: the first cause, since a
  /// rank that lost its peer is often heard before the peer itself.
  [[nodiscard]] std::optional<Incoming> wait(Deadline deadline);
  /// Asks every worker for a sign of life. Returns those who gave none before the deadline; other messages are kept for
  /// wait.
  [[nodiscard]] std::vector<int> ping(Deadline deadline);
  /// A failure of this rank, with where it was last seen.
  [[nodiscard]] RunFailure failure(ErrorKind kind, int rank, const std::string& what) const;

  /// The run has failed: tells every worker to leave, waits until those of this node are gone, and kills what is left
  /// of them after 2 s.
  void end(int exit_code, const std::string& message) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  /// Takes a heartbeat or a pong; true when the message was one.
  bool take_sign_of_life(const Incoming& incoming);
  void check_deaths();
  [[nodiscard]] std::optional<int> dead_rank() const;
  [[noreturn]] void throw_death(int rank);
  [[noreturn]] void throw_first_cause(Incoming cause);
  [[noreturn]] void throw_failure(const Incoming& incoming);
  [[nodiscard]] bool all_ended() const;

  ControlLink& link_;
  const RoleMap& roles_;
  std::optional<PeerWatch> watch_;
  std::map<int, ProcessWatch> processes_;  // of this node, by rank
  std::deque<Incoming> kept_;
  std::vector<int> unanswered_;  // pings
};

}  // namespace dflash
