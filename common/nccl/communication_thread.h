// CommunicationThread: the one thread, and the one stream, on which a process exchanges slots with its peers.
//
//   CommunicationThread thread(device);
//   SlotTransfer<Buffer> sending = thread.start_send(to_drafter_1, std::move(packed), frame_bytes);
//   SlotTransfer<Buffer> coming = thread.start_receive(from_target_0, std::move(free_slot).on(thread.stream()), size);
//
// Transfers are enqueued in the order of the calls, over all peers, and done in that order: one whose other end is
// never started keeps all later ones back. So a receive is started only when its send is known to be (offer and go,
// over the channel's own line), and who waits for one has a deadline, after which it calls abort().
//
// While anything is under way each transport is asked for errors every few milliseconds; the first one fails all
// transfers with that peer and aborts its transport.
//
// Threading: any thread. Owns: thread and stream, and a share of each transport in use. A transport that throws
// when it is asked to send or receive fails that transfer alone. The destructor enqueues what
// was started and lets go of it: the device room frees it when the device is past it.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/device/device.h"
#include "common/nccl/slot_transfer.h"
#include "common/nccl/transport.h"

namespace dflash {

class CommunicationThread {
 public:
  explicit CommunicationThread(Device& device);
  ~CommunicationThread();
  CommunicationThread(const CommunicationThread&) = delete;
  CommunicationThread& operator=(const CommunicationThread&) = delete;

  /// The first `size_bytes` of the slot (a Buffer or a Lease), which may be of any stream of the device. Does not
  /// block. A slot that is smaller is an Error{internal} of the transfer.
  template <typename T>
  [[nodiscard]] SlotTransfer<T> start_send(std::shared_ptr<Transport> peer, OnStream<T> slot, size_t size_bytes) {
    return start({std::move(peer), nullptr, size_bytes, Direction::send}, std::move(slot));
  }
  template <typename T>
  [[nodiscard]] SlotTransfer<T> start_receive(std::shared_ptr<Transport> peer, OnStream<T> slot, size_t size_bytes) {
    return start({std::move(peer), nullptr, size_bytes, Direction::receive}, std::move(slot));
  }

  /// Fails every transfer with this peer with `why`, and aborts its transport. False when that did not end in time.
  [[nodiscard]] bool abort(Transport& peer, const std::exception_ptr& why, Deadline deadline);

  /// What is received into must be on a stream; this one needs no other to be waited for.
  [[nodiscard]] Stream& stream() { return stream_; }

 private:
  enum class Direction { send, receive };
  struct Transfer {
    std::shared_ptr<Transport> peer;
    std::shared_ptr<TransferState> state;
    size_t size_bytes = 0;
    Direction direction = Direction::send;
  };

  template <typename T>
  [[nodiscard]] SlotTransfer<T> start(Transfer transfer, OnStream<T> slot) {
    auto state = std::make_shared<SlotTransferState<T>>(describe(transfer), std::move(slot));
    transfer.state = state;
    add(std::move(transfer));
    return SlotTransfer<T>(std::move(state));
  }
  [[nodiscard]] static std::string describe(const Transfer& transfer);
  void add(Transfer transfer);
  void loop();
  [[nodiscard]] bool wait_for_work(std::unique_lock<std::mutex>& lock);
  static void exchange_slot(const Transfer& transfer, std::span<std::byte> slot);
  void enqueue(const Transfer& transfer);
  void look_after_transfers();

  Stream stream_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable came_;
  std::deque<Transfer> waiting_;
  std::vector<Transfer> under_way_;
  Deadline next_look_;
  bool stopping_ = false;
  std::thread thread_;  // last: it starts when the members above exist
};

}  // namespace dflash
