// ByteLink: strings of bytes between any two ranks, on a communicator of its own. Sends never block the sender.
//
// What is large (more than some KiB) leaves only while the owner calls send, poll, wait or flush.
//
// Threading: one thread at a time. Owns: the bytes that are still leaving. Limits: kMostBytes a message, kMostLeaving
// messages on their way. Order is kept between each two ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/deadline.h"
#include "common/mpi/control_mail.h"
#include "common/mpi/role_map.h"

namespace dflash {

class ByteLink final : public ControlMail {
 public:
  static constexpr size_t kMostBytes = size_t{1} << 20;
  static constexpr size_t kMostLeaving = 4096;

  /// Collective over the world: every rank makes its links in the same order. Error{stall} when a rank does not.
  explicit ByteLink(const RoleMap& roles);
  ~ByteLink() override;
  ByteLink(const ByteLink&) = delete;
  ByteLink& operator=(const ByteLink&) = delete;

  /// Error{internal} for too large a message, {stall} when kMostLeaving are on their way, naming the rank.
  void send(int rank, std::string bytes) override;
  /// The next message, if one has arrived.
  [[nodiscard]] std::optional<IncomingBytes> poll() override;
  /// poll until the deadline; nothing when it passes.
  [[nodiscard]] std::optional<IncomingBytes> wait(Deadline deadline) override;
  /// Waits until every message has left. Error{stall} naming the rank that does not take it.
  void flush(Deadline deadline) override;

  [[nodiscard]] const RoleMap& roles() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dflash
