// PeerWatch: when each worker was last heard, what it said, and where it was, so that a stall or a death can be told by
// name.
//
// No clock of its own: the time is passed in. Threading: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "common/mpi/role_map.h"
#include "coordinator/run_failure.h"

namespace dflash {

class PeerWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Watches every rank but the own one; all count as heard at `start`.
  PeerWatch(const RoleMap& roles, double stall_timeout_s, TimePoint start);

  /// A message about work: `what` is its name in control.proto.
  void heard(int rank, const std::string& what, TimePoint now);
  /// A heartbeat: the rank lives; it has also moved on when it is somewhere else.
  void seen(int rank, const std::string& stage, int64_t sequence, TimePoint now);

  /// RunFailure{stall}: a worker that has said nothing at all for stall_timeout_s (frozen, or its node is gone), or a
  /// drafter that lives but has not moved on for so long. (A target may rightly stand still: it waits for the
  /// drafters.) The message says when and with what every rank was last heard.
  void check(TimePoint now) const;

  /// "in 'forward' at batch 17, heard 0.1 s before"
  [[nodiscard]] std::string whereabouts(int rank, TimePoint now) const;
  /// A failure of this rank, with where it was last seen.
  [[nodiscard]] RunFailure failure(ErrorKind kind, int rank, const std::string& message) const;

 private:
  struct LastWord {
    TimePoint time;   // of any message
    TimePoint moved;  // of one that shows progress
    std::string what = "start";
    std::string stage = "start";
    int64_t sequence = -1;
  };
  [[nodiscard]] std::string describe_all(TimePoint now) const;

  const RoleMap& roles_;
  const double stall_timeout_s_;
  std::map<int, LastWord> last_words_;  // by rank
};

}  // namespace dflash
