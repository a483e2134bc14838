// Ends of a pinned_host channel with a device of their own each: of the same process or of two. The device is made by
// the end's own process, because threads do not survive a fork.
#pragma once

#include <memory>
#include <utility>

#include "common/channel/pinned_host_channel.h"
#include "tests/channel/channel_contract.h"

namespace dflash {

using MakeDevice = Device (*)();

inline Device late_sim_device() {
  SimOptions options;
  options.seed = 7;
  options.most_delay = std::chrono::microseconds(300);
  options.most_lateness = std::chrono::microseconds(200);
  options.chunk_bytes = 64;
  return Device::sim(options);
}

/// The channel's end goes before its device.
class SenderWithDevice final : public Sender {
 public:
  SenderWithDevice(MakeDevice make, const ChannelShape& shape, Bootstrap& line, Deadline deadline)
      : device_(make()), sender_(make_pinned_host_sender(shape, line, deadline, device_)) {}
  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override { return sender_->acquire(deadline); }
  ChannelStatus send(SendSlot&& slot) override { return sender_->send(std::move(slot)); }
  ChannelStatus finish(Deadline deadline) override { return sender_->finish(deadline); }

 private:
  Device device_;
  std::unique_ptr<Sender> sender_;
};

class ReceiverWithDevice final : public Receiver {
 public:
  ReceiverWithDevice(MakeDevice make, const ChannelShape& shape, Bootstrap& line, Deadline deadline)
      : device_(make()), receiver_(make_pinned_host_receiver(shape, line, deadline, device_)) {}
  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override { return receiver_->receive(deadline); }
  [[nodiscard]] size_t waiting_slots() const override { return receiver_->waiting_slots(); }

 private:
  Device device_;
  std::unique_ptr<Receiver> receiver_;
};

inline TestedKind pinned_host_kind(const std::string& where, MakeDevice make, decltype(&run_in_thread) run_peers,
                                   bool own_process) {
  return {"pinned_host_" + where,
          [make](const ChannelShape& shape, Bootstrap& line, Deadline deadline) -> std::unique_ptr<Receiver> {
            return std::make_unique<ReceiverWithDevice>(make, shape, line, deadline);
          },
          [make](const ChannelShape& shape, Bootstrap& line, Deadline deadline) -> std::unique_ptr<Sender> {
            return std::make_unique<SenderWithDevice>(make, shape, line, deadline);
          },
          run_peers, own_process};
}

}  // namespace dflash
