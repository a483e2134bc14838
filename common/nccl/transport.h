// Transport: bytes from this process to one peer and back, enqueued on a device's stream.
//
// nccl_transport.h is one over NCCL; tests bring their own, over a simulated device. Programs do not call it: the
// CommunicationThread does, so that one thread of a process makes all the calls, in one order.
//
// Threading: send() and receive() are called by kernels of the communication thread's stream (on_stream.h), so on a
// simulated device by its compute engine; check() and abort() by the communication thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/base/deadline.h"

namespace dflash {

class Transport {
 public:
  virtual ~Transport() = default;
  /// Who is at the other end, as it stands in messages.
  [[nodiscard]] virtual const std::string& peer_name() const = 0;

  /// Enqueues, on a device with streams of its own, or does it. `bytes` stay as they are until the stream is past this.
  /// What both ends send and receive must match in order and size; what is never matched blocks the stream.
  virtual void send(std::span<const std::byte> bytes) = 0;
  virtual void receive(std::span<std::byte> bytes) = 0;

  /// Throws what went wrong since, if anything: Error{peer_died} that names the peer. Quick.
  virtual void check() = 0;
  /// What is enqueued ends, undone, also when the peer is gone; everything after this is an error. False when it did
  /// not end in time: what it works on is then never free again.
  [[nodiscard]] virtual bool abort(Deadline deadline) noexcept = 0;
};

}  // namespace dflash
