// ControlLink: the control plane of one rank, on a communicator of its own, or within one process (local_mail.h). Sends
// never block the sender.
//
// Threading: one thread at a time. Owns: the buffers of messages that are still leaving. Limits: a message of 1 MiB,
// 4096 messages on their way (a peer that reads nothing for so long is an Error{stall}).
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "common/base/deadline.h"
#include "common/mpi/control_mail.h"
#include "common/mpi/role_map.h"
#include "proto/control.pb.h"

namespace dflash {

struct Incoming {
  int rank = -1;
  ControlMessage message;
};

class ControlLink {
 public:
  /// Collective over the world (duplicates the communicator); every rank makes its link at the same point.
  explicit ControlLink(const RoleMap& roles);
  ControlLink(const RoleMap& roles, std::unique_ptr<ControlMail> mail);
  ControlLink(const ControlLink&) = delete;
  ControlLink& operator=(const ControlLink&) = delete;

  void send(int rank, const ControlMessage& message);
  /// The next message, if one has arrived. Error{internal} for bytes that are no ControlMessage, naming the rank.
  [[nodiscard]] std::optional<Incoming> poll();
  /// poll with a back-off sleep until the deadline; nothing when it passes.
  [[nodiscard]] std::optional<Incoming> wait(Deadline deadline);
  /// Waits until every message has left. Error{stall} naming the rank that does not take it.
  void flush(Deadline deadline);

 private:
  [[nodiscard]] std::optional<Incoming> parse(const std::optional<IncomingBytes>& incoming) const;

  const RoleMap roles_;
  const std::unique_ptr<ControlMail> mail_;
};

}  // namespace dflash
