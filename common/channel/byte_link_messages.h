// ByteLinkMessages: the messages of a port of nccl channels over MPI, addressed by rank.
//
// Threading: as PortMessages; the link is used by nobody else, because it too wants one thread at a time. Owns:
// nothing; the link must outlive it.
#pragma once

#include <utility>

#include "common/channel/nccl_messages.h"
#include "common/mpi/byte_link.h"

namespace dflash {

class ByteLinkMessages final : public PortMessages {
 public:
  explicit ByteLinkMessages(ByteLink& link) : link_(link) {}

  [[nodiscard]] int own_address() const override { return link_.roles().own_rank(); }
  void send(int address, std::string text) override { link_.send(address, std::move(text)); }
  [[nodiscard]] std::optional<std::string> poll() override {
    std::optional<IncomingBytes> incoming = link_.poll();
    if (!incoming) return std::nullopt;
    return std::move(incoming->bytes);
  }

 private:
  ByteLink& link_;
};

}  // namespace dflash
