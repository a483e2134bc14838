// Ends of a nccl channel in one process: each with a simulated device and a port of its own, over a played transport
// whose sends wait for their receives.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "common/channel/nccl_channel.h"
#include "tests/channel/channel_contract.h"
#include "tests/nccl/played_transport.h"

namespace dflash {

/// Where the messages of all ports of this process lie until they are fetched.
class PostOffice {
 public:
  using Way = std::pair<int, int>;  // from a box to a box

  static PostOffice& instance() {
    static PostOffice office;
    return office;
  }
  int open_box() {
    const std::lock_guard lock(mutex_);
    boxes_.emplace_back();
    return static_cast<int>(boxes_.size()) - 1;
  }
  void put(const Way& way, std::string text) {
    const std::lock_guard lock(mutex_);
    const auto held = held_.find(way);
    (held != held_.end() ? held->second : box(way.second)).push_back(std::move(text));
  }
  std::optional<std::string> fetch(int own) {
    const std::lock_guard lock(mutex_);
    if (box(own).empty()) return std::nullopt;
    std::string text = std::move(box(own).front());
    box(own).pop_front();
    return text;
  }

  /// What goes this way is held back until it is released.
  void hold(const Way& way) {
    const std::lock_guard lock(mutex_);
    held_[way];
  }
  [[nodiscard]] size_t held_count(const Way& way) {
    const std::lock_guard lock(mutex_);
    return held_.at(way).size();
  }
  void release(const Way& way) {
    const std::lock_guard lock(mutex_);
    auto held = held_.extract(way);
    for (std::string& text : held.mapped()) box(way.second).push_back(std::move(text));
  }

 private:
  using Texts = std::deque<std::string>;
  Texts& box(int number) { return boxes_.at(static_cast<size_t>(number)); }

  std::mutex mutex_;
  std::deque<Texts> boxes_;
  std::map<Way, Texts> held_;
};

class PlayedMessages final : public PortMessages {
 public:
  [[nodiscard]] int own_address() const override { return box_; }
  void send(int address, std::string text) override { PostOffice::instance().put({box_, address}, std::move(text)); }
  std::optional<std::string> poll() override { return PostOffice::instance().fetch(box_); }

 private:
  const int box_ = PostOffice::instance().open_box();
};

/// The end that makes it leaves the other half under a number, and tells that.
inline std::shared_ptr<PlayedTransport> make_played_transport(Bootstrap& line, bool makes_id, Deadline deadline) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<PlayedTransport>> left;
  static int made = 0;
  if (!makes_id) {
    const std::string name = line.receive(deadline);
    const std::lock_guard lock(mutex);
    return std::move(left.extract(name).mapped());
  }
  auto [own, other] = PlayedTransport::make_pair(PlayedTransport::Sends::when_taken);
  const std::lock_guard lock(mutex);
  const std::string name = std::to_string(made++);
  left[name] = other;
  line.send(name);
  return own;
}

/// What one process would have.
struct PlayedProcess {
  explicit PlayedProcess(const NcclPortSettings& settings = {.slot_memory = MemoryKind::pinned, .patience = 60s})
      : port(
            device, std::make_unique<PlayedMessages>(),
            [this](Bootstrap& line, int /*address*/, bool makes_id, Deadline deadline) {
              transports.push_back(make_played_transport(line, makes_id, deadline));
              return transports.back();
            },
            settings) {}

  static SimOptions options() {
    SimOptions late;
    late.most_delay = std::chrono::microseconds(300);
    late.most_lateness = std::chrono::microseconds(200);
    late.chunk_bytes = 64;
    return late;
  }
  Device device = Device::sim(options());
  std::vector<std::shared_ptr<PlayedTransport>> transports;  // by channel, as they were made
  NcclPort port;
};

/// An end goes before its process.
class SenderOfProcess final : public Sender {
 public:
  SenderOfProcess(const ChannelShape& shape, Bootstrap& line, Deadline deadline)
      : sender_(make_nccl_sender(shape, line, deadline, process_.port)) {}
  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override { return sender_->acquire(deadline); }
  ChannelStatus send(SendSlot&& slot) override { return sender_->send(std::move(slot)); }
  ChannelStatus finish(Deadline deadline) override { return sender_->finish(deadline); }

 private:
  PlayedProcess process_;
  std::unique_ptr<Sender> sender_;
};

class ReceiverOfProcess final : public Receiver {
 public:
  ReceiverOfProcess(const ChannelShape& shape, Bootstrap& line, Deadline deadline)
      : receiver_(make_nccl_receiver(shape, line, deadline, process_.port)) {}
  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override { return receiver_->receive(deadline); }
  [[nodiscard]] size_t waiting_slots() const override { return receiver_->waiting_slots(); }

 private:
  PlayedProcess process_;
  std::unique_ptr<Receiver> receiver_;
};

}  // namespace dflash
