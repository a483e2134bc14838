#include "common/channel/device_slots.h"

#include <memory>
#include <utility>

namespace dflash {
namespace {

/// A slot that was not sent is handed out again by its sender: nothing is to be told.
class SendHome final : public SlotHome<SendSlotBytes> {
 public:
  void take_back(const SendSlotBytes& /*slot*/, SlotEnd /*end*/) noexcept override {}
};

class ReceivedHome final : public SlotHome<ReceivedSlotBytes> {
 public:
  explicit ReceivedHome(ReceivedSlot&& slot) : slot_(std::move(slot)) {}
  void take_back(const ReceivedSlotBytes& /*slot*/, SlotEnd /*end*/) noexcept override { slot_.release(); }

 private:
  ReceivedSlot slot_;
};

}  // namespace

Landed<SendLease> lend(SendSlot&& slot) {
  static const auto home = std::make_shared<SendHome>();
  return SendLease::of(home, {std::move(slot)});
}

Landed<ReceivedLease> lend(ReceivedSlot&& slot) {
  const ReceivedSlotBytes bytes{slot.bytes(), slot.memory_kind()};
  return ReceivedLease::of(std::make_shared<ReceivedHome>(std::move(slot)), bytes);
}

ChannelStatus send_landed(Sender& sender, Landed<SendLease>&& slot) {
  const Landed<SendLease> taken = std::move(slot);
  return sender.send(SendSlot(taken->slot().bytes(), nullptr));  // `taken` keeps its memory
}

}  // namespace dflash
