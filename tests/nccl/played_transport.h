// PlayedTransport: two ends of a transport in one process, over host memory, with errors on demand.
//
//   auto [here, there] = PlayedTransport::make_pair();
//
// Threading: as a Transport; fail() from any thread. A receive waits for its send; abort() of its own end wakes it.
#pragma once

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
  };

  [[nodiscard]] static std::pair<std::shared_ptr<PlayedTransport>, std::shared_ptr<PlayedTransport>> make_pair() {
    const auto there = std::make_shared<Line>();
    const auto back = std::make_shared<Line>();
    return {std::make_shared<PlayedTransport>("there", there, back),
            std::make_shared<PlayedTransport>("here", back, there)};
  }
  PlayedTransport(std::string peer_name, std::shared_ptr<Line> out, std::shared_ptr<Line> in)
      : peer_name_(std::move(peer_name)), out_(std::move(out)), in_(std::move(in)) {}

  [[nodiscard]] const std::string& peer_name() const override { return peer_name_; }

  void send(std::span<const std::byte> bytes) override {
    const std::lock_guard lock(out_->mutex);
    out_->sent.emplace_back(bytes.begin(), bytes.end());
    out_->changed.notify_all();
  }
  void receive(std::span<std::byte> bytes) override {
    std::unique_lock lock(in_->mutex);
    in_->changed.wait(lock, [this] { return aborted_ || !in_->sent.empty(); });
    if (aborted_) return;
    const std::vector<std::byte> sent = std::move(in_->sent.front());
    in_->sent.pop_front();
    if (sent.size() != bytes.size()) throw Error(ErrorKind::internal, "sent and received sizes differ");
    std::memcpy(bytes.data(), sent.data(), sent.size());
  }
  void check() override {
    const std::lock_guard lock(in_->mutex);
    if (failed_) throw Error(ErrorKind::peer_died, "lost " + peer_name_);
  }
  [[nodiscard]] bool abort(Deadline /*deadline*/) noexcept override {
    const std::lock_guard lock(in_->mutex);
    aborted_ = true;
    in_->changed.notify_all();
    return true;
  }

  /// From now on check() throws.
  void fail() {
    const std::lock_guard lock(in_->mutex);
    failed_ = true;
  }
  [[nodiscard]] bool aborted() const {
    const std::lock_guard lock(in_->mutex);
    return aborted_;
  }

 private:
  const std::string peer_name_;
  const std::shared_ptr<Line> out_;
  const std::shared_ptr<Line> in_;
  bool failed_ = false;  // guarded by in_'s mutex, as is the next
  bool aborted_ = false;
};

}  // namespace dflash
