#include "common/mpi/control_link.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/mpi/byte_link.h"

namespace dflash {

ControlLink::ControlLink(const RoleMap& roles) : ControlLink(roles, std::make_unique<ByteLink>(roles)) {}
ControlLink::ControlLink(const RoleMap& roles, std::unique_ptr<ControlMail> mail)
    : roles_(roles), mail_(std::move(mail)) {}

void ControlLink::send(int rank, const ControlMessage& message) {
  mail_->send(rank, message.SerializeAsString());
}
std::optional<Incoming> ControlLink::poll() {
  return parse(mail_->poll());
}
std::optional<Incoming> ControlLink::wait(Deadline deadline) {
  return parse(mail_->wait(deadline));
}
void ControlLink::flush(Deadline deadline) {
  mail_->flush(deadline);
}

std::optional<Incoming> ControlLink::parse(const std::optional<IncomingBytes>& incoming) const {
  if (!incoming) return std::nullopt;
  Incoming parsed{incoming->rank, {}};
  if (parsed.message.ParseFromString(incoming->bytes) && parsed.message.body_case() != ControlMessage::BODY_NOT_SET) {
    return parsed;
  }
  throw Error(ErrorKind::internal, format("{} sent {} bytes that are no control message: was it built differently?",
                                          roles_.describe(incoming->rank), incoming->bytes.size()));
}

}  // namespace dflash
