// RankGroup: the ranks of one role, for work that they do together, on a communicator of its own.
//
// All members call the same functions in the same order. Sums add the members' values in the order of the members, so
// the result is the same on each, to the bit, however the messages arrive. Member 0 leads.
//
// Threading: one thread at a time. Errors: Error{stall} naming the members that did not take part by the deadline.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "common/base/deadline.h"
#include "common/mpi/role_map.h"

namespace dflash {

class RankGroup {
 public:
  static constexpr size_t kMostTextBytes = 4096;

  /// Collective over the world, as a ByteLink; ranks of other roles take part in this only.
  RankGroup(const RoleMap& roles, Role role);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  [[nodiscard]] int size() const;
  /// -1 on a rank of another role.
  [[nodiscard]] int index() const;

  /// values[i] becomes the sum of all members' values[i]; all give the same number of values. `what` stands in errors.
  void sum(std::span<float> values, const char* what, Deadline deadline);
  /// The same for one number.
  [[nodiscard]] double sum(double value, const char* what, Deadline deadline);
  /// The text of member 0; what the others give is not looked at.
  [[nodiscard]] std::string broadcast(const std::string& text, const char* what, Deadline deadline);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dflash
