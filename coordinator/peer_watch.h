// PeerWatch: when each worker was last heard and what it said, so that a stall can be told by name.
//
// No clock of its own: the time is passed in. Threading: one thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "common/mpi/role_map.h"

namespace dflash {

class PeerWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Watches every rank but the own one; all count as heard at `start`.
  PeerWatch(const RoleMap& roles, double stall_timeout_s, TimePoint start);

  /// `what`: the kind of message, as in control.proto.
  void heard(int rank, const std::string& what, TimePoint now);
  /// Error{stall} when the drafter has said nothing for stall_timeout_s: names when and with what each rank was last
  /// heard. (A target may rightly be silent for long: it waits for the drafter.)
  void check(TimePoint now) const;

 private:
  struct LastWord {
    TimePoint time;
    std::string what = "start";
  };
  [[nodiscard]] std::string describe(TimePoint now) const;

  const RoleMap& roles_;
  const double stall_timeout_s_;
  std::map<int, LastWord> last_words_;  // by rank
};

}  // namespace dflash
