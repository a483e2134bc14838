// SlotTransfer: a slot that is being sent or received, and its owner until the device is past it.
//
//   SlotTransfer<Buffer> sending = thread.start_send(transport, std::move(slot), size_bytes);   communication_thread.h
//   if (sending.over()) ...
//   Landed<Buffer> slot = std::move(sending).land(deadline);
//
// Dropping it is safe: the slot goes back to its pool when the device is past it.
//
// Threading: one thread at a time; may be moved to another and destroyed on any. Owns: the slot.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/device/operations.h"

namespace dflash {

/// What a transfer and the communication thread share, whatever kind of slot it is. Internal to this room.
class TransferState {
 public:
  using Exchange = std::function<void(std::span<std::byte>)>;

  explicit TransferState(std::string what) : what_(std::move(what)) {}
  virtual ~TransferState() = default;
  TransferState(const TransferState&) = delete;
  TransferState& operator=(const TransferState&) = delete;

  /// The communication thread's: `exchange` is run on the slot in the order of `stream`. From here on the slot is in
  /// use until that is over, and the transfer's to land.
  virtual void enqueue(Stream& stream, const Exchange& exchange) = 0;
  /// The first one counts.
  void fail(const std::exception_ptr& error);
  [[nodiscard]] bool failed() const;
  [[nodiscard]] bool over() const;

 protected:
  void set_enqueued(Fence end);
  /// Waits until it is over. Error as SlotTransfer::land.
  void await(Deadline deadline);

 private:
  [[nodiscard]] Fence wait_enqueued(Deadline deadline);
  void rethrow_error() const;

  const std::string what_;    // sending 123 bytes to drafter 1
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<Fence> end_;  // when it is enqueued
  std::exception_ptr error_;
};

/// T: a Buffer or a Lease.
template <typename T>
class SlotTransferState final : public TransferState {
 public:
  SlotTransferState(std::string what, OnStream<T> slot) : TransferState(std::move(what)), slot_(std::move(slot)) {}

  void enqueue(Stream& stream, const Exchange& exchange) override {
    slot_ = std::move(slot_).then(stream);
    launch(stream, exchange, slot_);
    set_enqueued(stream.record());
  }
  [[nodiscard]] Landed<T> land(Deadline deadline) {
    await(deadline);
    return std::move(slot_).land(deadline);
  }

 private:
  OnStream<T> slot_;
};

template <typename T>
class [[nodiscard]] SlotTransfer {
 public:
  SlotTransfer(SlotTransfer&&) noexcept = default;
  SlotTransfer& operator=(SlotTransfer&&) noexcept = default;

  /// Done, or failed: land() would not wait.
  [[nodiscard]] bool over() const { return checked().over(); }
  /// Waits until it is done. Error{stall} at the deadline, after which it may be tried again; what the transport or
  /// the stream met, when it failed. {internal} when it was landed before.
  [[nodiscard]] Landed<T> land(Deadline deadline) && {
    Landed<T> slot = checked().land(deadline);
    state_.reset();
    return slot;
  }

 private:
  friend class CommunicationThread;
  explicit SlotTransfer(std::shared_ptr<SlotTransferState<T>> state) : state_(std::move(state)) {}
  [[nodiscard]] SlotTransferState<T>& checked() const {
    if (!state_) throw Error(ErrorKind::internal, "a slot transfer is used after it was landed or moved from");
    return *state_;
  }

  std::shared_ptr<SlotTransferState<T>> state_;
};

}  // namespace dflash
