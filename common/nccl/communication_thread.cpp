#include "common/nccl/communication_thread.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"

namespace dflash {
namespace {
constexpr std::chrono::milliseconds kLookEvery{5};
constexpr std::chrono::seconds kAbortPatience{10};
}  // namespace

CommunicationThread::CommunicationThread(Device& device)
    : stream_(device.make_stream("communication")),
      next_look_(Deadline::after(kLookEvery)),
      thread_([this] { loop(); }) {}

CommunicationThread::~CommunicationThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    came_.notify_all();
  }
  thread_.join();
}

std::string CommunicationThread::describe(const Transfer& transfer) {
  const bool sends = transfer.direction == Direction::send;
  return format("{} {} bytes {} {}", sends ? "sending" : "receiving", transfer.size_bytes, sends ? "to" : "from",
                transfer.peer->peer_name());
}

void CommunicationThread::add(Transfer transfer) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(transfer));
  came_.notify_all();
}

bool CommunicationThread::abort(Transport& peer, const std::exception_ptr& why, Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    for (const Transfer& transfer : under_way_) {
      if (transfer.peer.get() == &peer) transfer.state->fail(why);
    }
    std::erase_if(waiting_, [&](const Transfer& transfer) {
      if (transfer.peer.get() != &peer) return false;
      transfer.state->fail(why);
      return true;
    });
  }
  return peer.abort(deadline);
}

/// False when it was time to look after the transfers, or to stop.
bool CommunicationThread::wait_for_work(std::unique_lock<std::mutex>& lock) {
  const auto called = [this] { return stopping_ || !waiting_.empty(); };
  if (under_way_.empty()) {
    came_.wait(lock, called);
  } else if (next_look_.expired() || !came_.wait_until(lock, next_look_.when(), called)) {
    return false;
  }
  return !waiting_.empty();
}

void CommunicationThread::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (wait_for_work(lock)) {
      const Transfer transfer = std::move(waiting_.front());
      waiting_.pop_front();
      under_way_.push_back(transfer);  // before it is enqueued, so that an abort meets it in one of the two
      lock.unlock();
      enqueue(transfer);
      lock.lock();
    } else if (stopping_) {
      return;
    } else {
      lock.unlock();
      look_after_transfers();
      lock.lock();
      next_look_ = Deadline::after(kLookEvery);
    }
  }
}

void CommunicationThread::exchange_slot(const Transfer& transfer, std::span<std::byte> slot) {
  if (transfer.size_bytes > slot.size()) {
    throw Error(ErrorKind::internal, format("{} bytes are to be exchanged with {} in a slot of {}", transfer.size_bytes,
                                            transfer.peer->peer_name(), slot.size()));
  }
  const std::span<std::byte> bytes = slot.first(transfer.size_bytes);
  transfer.direction == Direction::send ? transfer.peer->send(bytes) : transfer.peer->receive(bytes);
}

void CommunicationThread::enqueue(const Transfer& transfer) {
  try {
    Transfer without_state = transfer;
    without_state.state.reset();
    // Its kernel does not own the slot: that must be the device's to wait for as soon as nobody else wants it.
    const auto exchange = [transfer = std::move(without_state),
                           state = std::weak_ptr(transfer.state)](std::span<std::byte> slot) {
      try {
        exchange_slot(transfer, slot);
      } catch (...) {  // not the stream's: transfers with other peers go on
        if (const auto waiting = state.lock()) waiting->fail(std::current_exception());
      }
    };
    transfer.state->enqueue(stream_, exchange);
  } catch (...) {  // whatever it is: the transfer carries it to whoever waits
    transfer.state->fail(std::current_exception());
  }
}

void CommunicationThread::look_after_transfers() {
  std::vector<Transfer> asked;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(under_way_, [](const Transfer& transfer) { return transfer.state->over(); });
    asked = under_way_;
  }
  for (const Transfer& transfer : asked) {
    if (transfer.state->failed()) continue;  // with an earlier one of the same peer
    try {
      transfer.peer->check();
    } catch (...) {  // whatever it is: the transfers carry it to whoever waits
      if (!abort(*transfer.peer, std::current_exception(), Deadline::after(kAbortPatience))) {
        log_error(format("{}: the aborted transfers do not end; their slots stay taken", transfer.peer->peer_name()));
      }
    }
  }
}

}  // namespace dflash
