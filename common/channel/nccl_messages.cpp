#include "common/channel/nccl_messages.h"

#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

static_assert(std::is_trivially_copyable_v<NcclMessage>);

std::string NcclMessage::to_text() const {
  std::string text(sizeof(NcclMessage), '\0');
  std::memcpy(text.data(), this, sizeof(NcclMessage));
  return text;
}

NcclMessage NcclMessage::from_text(const std::string& text) {
  NcclMessage message;
  if (text.size() == sizeof(NcclMessage)) std::memcpy(&message, text.data(), sizeof(NcclMessage));
  if (text.size() != sizeof(NcclMessage) || message.word > Word::gone) {
    throw Error(ErrorKind::internal,
                format("a message of {} bytes between the ends of nccl channels is none that one sends", text.size()));
  }
  return message;
}

}  // namespace dflash
