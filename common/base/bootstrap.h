// How the two ends of a channel find each other: a small string each way, before any bulk byte moves.
#pragma once

#include <string>

#include "common/base/deadline.h"

namespace dflash {

/// A private line to exactly one peer. Threading: one thread at a time.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  /// Never blocks. Strings arrive in the order sent; at most 4 KiB each.
  virtual void send(const std::string& text) = 0;
  /// The peer's next string. Error{stall} naming the peer when the deadline passes.
  [[nodiscard]] virtual std::string receive(Deadline deadline) = 0;
};

}  // namespace dflash
