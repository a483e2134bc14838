// ControlMail: what carries the bytes of a ControlLink. Between processes a ByteLink; within one, local_mail.h.
#pragma once

#include <optional>
#include <string>

#include "common/base/deadline.h"

namespace dflash {

struct IncomingBytes {
  int rank = -1;
  std::string bytes;
};

/// Threading: one thread at a time. Order is kept between each two ranks; a send never blocks.
class ControlMail {
 public:
  virtual ~ControlMail() = default;
  virtual void send(int rank, std::string bytes) = 0;
  /// The next message, if one has arrived.
  [[nodiscard]] virtual std::optional<IncomingBytes> poll() = 0;
  /// The same until the deadline; nothing when it passes.
  [[nodiscard]] virtual std::optional<IncomingBytes> wait(Deadline deadline) = 0;
  /// Waits until every message has left. Error{stall} naming the rank that does not take it.
  virtual void flush(Deadline deadline) = 0;
};

}  // namespace dflash
