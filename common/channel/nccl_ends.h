// The two ends of a nccl channel: the contract of channel.h over a link that the port moves on. How they meet:
// nccl_channel.cpp.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "common/channel/channel.h"
#include "common/channel/lent_slots.h"
#include "common/channel/nccl_port.h"

namespace dflash {

class NcclSender final : public Sender {
 public:
  /// `link` is one of `port`.
  NcclSender(NcclPort& port, std::shared_ptr<NcclSendLink> link) : port_(port), link_(std::move(link)) {}
  ~NcclSender() override;

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override;
  ChannelStatus send(SendSlot&& slot) override;
  ChannelStatus finish(Deadline deadline) override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  [[nodiscard]] bool ended(const Lock& lock);
  [[nodiscard]] ChannelStatus finished(const Lock& lock, Waited waited);

  NcclPort& port_;
  const std::shared_ptr<NcclSendLink> link_;
  bool acquired_ = false;
  bool finishing_ = false;
  std::optional<ChannelStatus> ended_;
};

class NcclReceiver final : public Receiver {
 public:
  /// `link` is one of `port`.
  NcclReceiver(NcclPort& port, std::shared_ptr<NcclReceiveLink> link);
  ~NcclReceiver() override;

  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override;
  [[nodiscard]] size_t waiting_slots() const override;

 private:
  [[nodiscard]] std::pair<ChannelStatus, ReceivedSlot> receive_frame(Deadline deadline);
  [[nodiscard]] std::optional<ChannelStatus> sender_left() const;
  void take_back() noexcept;

  NcclPort& port_;
  const std::shared_ptr<NcclReceiveLink> link_;
  std::optional<ChannelStatus> ended_;
  std::optional<Error> error_;
  LentSlots lent_;  // last: it calls take_back()
};

}  // namespace dflash
