#include "common/mpi/control_link.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/mpi/byte_link.h"

namespace dflash {

struct ControlLink::State {
  ByteLink bytes;

  [[nodiscard]] std::optional<Incoming> parse(const std::optional<IncomingBytes>& incoming) const {
    if (!incoming) return std::nullopt;
    Incoming parsed{incoming->rank, {}};
    if (parsed.message.ParseFromString(incoming->bytes) && parsed.message.body_case() != ControlMessage::BODY_NOT_SET) {
      return parsed;
    }
    throw Error(ErrorKind::internal, format("{} sent {} bytes that are no control message: was it built differently?",
                                            bytes.roles().describe(incoming->rank), incoming->bytes.size()));
  }
};

ControlLink::ControlLink(const RoleMap& roles) : state_(new State{ByteLink(roles)}) {}
ControlLink::~ControlLink() = default;

void ControlLink::send(int rank, const ControlMessage& message) {
  state_->bytes.send(rank, message.SerializeAsString());
}
std::optional<Incoming> ControlLink::poll() {
  return state_->parse(state_->bytes.poll());
}
std::optional<Incoming> ControlLink::wait(Deadline deadline) {
  return state_->parse(state_->bytes.wait(deadline));
}
void ControlLink::flush(Deadline deadline) {
  state_->bytes.flush(deadline);
}

}  // namespace dflash
