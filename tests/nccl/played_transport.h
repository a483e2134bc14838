// PlayedTransport: two ends of a transport in one process, over host memory, with errors on demand.
//
//   auto [here, there] = PlayedTransport::make_pair();
//
// Threading: as a Transport; fail() from any thread. A receive waits for its send, and, when that is asked for, a send
// for its receive, as over NCCL where frames are large; abort() of its own end wakes it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/error.h"
#include "common/nccl/transport.h"

namespace dflash {

class PlayedTransport final : public Transport {
 public:
  /// One direction of bytes.
  struct Line {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::vector<std::byte>> sent;
    size_t sent_count = 0;
    size_t taken_count = 0;
  };
  enum class Sends { at_once, when_taken };

  [[nodiscard]] static std::pair<std::shared_ptr<PlayedTransport>, std::shared_ptr<PlayedTransport>> make_pair(
      Sends sends = Sends::at_once) {
    const auto there = std::make_shared<Line>();
    const auto back = std::make_shared<Line>();
    return {std::make_shared<PlayedTransport>("there", there, back, sends),
            std::make_shared<PlayedTransport>("here", back, there, sends)};
  }
  PlayedTransport(std::string peer_name, std::shared_ptr<Line> out, std::shared_ptr<Line> in, Sends sends)
      : peer_name_(std::move(peer_name)), out_(std::move(out)), in_(std::move(in)), sends_(sends) {}

  [[nodiscard]] const std::string& peer_name() const override { return peer_name_; }

  void send(std::span<const std::byte> bytes) override {
    std::unique_lock lock(out_->mutex);
    if (aborted_) return;
    out_->sent.emplace_back(bytes.begin(), bytes.end());
    const size_t number = ++out_->sent_count;
    out_->changed.notify_all();
    if (sends_ == Sends::at_once) return;
    out_->changed.wait(lock, [this, number] { return aborted_ || out_->taken_count >= number; });
  }
  void receive(std::span<std::byte> bytes) override {
    std::unique_lock lock(in_->mutex);
    in_->changed.wait(lock, [this] { return aborted_ || !in_->sent.empty(); });
    if (aborted_) return;
    const std::vector<std::byte> sent = std::move(in_->sent.front());
    in_->sent.pop_front();
    ++in_->taken_count;
    in_->changed.notify_all();
    if (sent.size() != bytes.size()) throw Error(ErrorKind::internal, "sent and received sizes differ");
    std::memcpy(bytes.data(), sent.data(), sent.size());
  }
  void check() override {
    if (failed_) throw Error(ErrorKind::peer_died, "lost " + peer_name_);
  }
  [[nodiscard]] bool abort(Deadline /*deadline*/) noexcept override {
    aborted_ = true;
    for (Line* line : {out_.get(), in_.get()}) {
      const std::lock_guard lock(line->mutex);
      line->changed.notify_all();
    }
    return true;
  }

  /// From now on check() throws.
  void fail() { failed_ = true; }
  [[nodiscard]] bool aborted() const { return aborted_; }

 private:
  const std::string peer_name_;
  const std::shared_ptr<Line> out_;
  const std::shared_ptr<Line> in_;
  const Sends sends_;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> aborted_ = false;
};

}  // namespace dflash
