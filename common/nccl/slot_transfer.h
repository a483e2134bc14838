// SlotTransfer: a slot that is being sent or received, and its owner until the device is past it.
//
//   SlotTransfer sending = thread.start_send(transport, std::move(slot), size_bytes);   communication_thread.h
//   if (sending.over()) ...
//   Landed<Buffer> slot = std::move(sending).land(deadline);
//
// Dropping it is safe: the slot goes back to its pool when the device is past it.
//
// Threading: one thread at a time; may be moved to another and destroyed on any. Owns: the slot.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/device/buffer.h"
#include "common/device/on_stream.h"

namespace dflash {

/// What a transfer and the communication thread share. Internal to this room.
class SlotTransferState {
 public:
  SlotTransferState(std::string what, OnStream<Buffer> slot) : what_(std::move(what)), slot_(std::move(slot)) {}

  /// The communication thread's: from here on the slot is in use until `end`, and the transfer's to land.
  void set_enqueued(Fence end);
  /// The first one counts.
  void fail(const std::exception_ptr& error);
  [[nodiscard]] bool failed() const;
  /// The communication thread's, until it is enqueued.
  [[nodiscard]] OnStream<Buffer>& slot() { return slot_; }

  [[nodiscard]] bool over() const;
  [[nodiscard]] Landed<Buffer> land(Deadline deadline);

 private:
  [[nodiscard]] Fence wait_enqueued(Deadline deadline);
  void rethrow_error() const;

  const std::string what_;  // sending 123 bytes to drafter 1
  OnStream<Buffer> slot_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<Fence> end_;  // when it is enqueued
  std::exception_ptr error_;
};

class [[nodiscard]] SlotTransfer {
 public:
  SlotTransfer(SlotTransfer&&) noexcept = default;
  SlotTransfer& operator=(SlotTransfer&&) noexcept = default;

  /// Done, or failed: land() would not wait.
  [[nodiscard]] bool over() const { return checked().over(); }
  /// Waits until it is done. Error{stall} at the deadline, after which it may be tried again; what the transport or
  /// the stream met, when it failed. {internal} when it was landed before.
  [[nodiscard]] Landed<Buffer> land(Deadline deadline) && {
    Landed<Buffer> slot = checked().land(deadline);
    state_.reset();
    return slot;
  }

 private:
  friend class CommunicationThread;
  explicit SlotTransfer(std::shared_ptr<SlotTransferState> state) : state_(std::move(state)) {}
  [[nodiscard]] SlotTransferState& checked() const {
    if (!state_) throw Error(ErrorKind::internal, "a slot transfer is used after it was landed or moved from");
    return *state_;
  }

  std::shared_ptr<SlotTransferState> state_;
};

}  // namespace dflash
