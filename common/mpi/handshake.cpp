#include "common/mpi/handshake.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/mpi/build_id.h"

namespace dflash {
namespace {

ControlMessage expect(WorkerControl& control, ControlMessage::BodyCase expected, const char* name, Deadline deadline) {
  std::optional<ControlMessage> message = control.wait(deadline);
  if (!message) throw Error(ErrorKind::stall, format("no {} from the coordinator within the time", name));
  if (message->body_case() == expected) return std::move(*message);
  throw Error(ErrorKind::internal, format("the coordinator sent {} when {} was due", message_name(*message), name));
}

}  // namespace

uint64_t build_hash() {
  return hash_text(DFLASH_BUILD_ID);
}

std::string message_name(const ControlMessage& message) {
  const auto* field = ControlMessage::descriptor()->FindFieldByNumber(message.body_case());
  return field == nullptr ? "an empty message" : field->name();
}

Welcome join_run(WorkerControl& control, Deadline deadline) {
  ControlMessage message;
  message.mutable_hello()->set_build_hash(build_hash());
  control.send(message);
  return expect(control, ControlMessage::kWelcome, "welcome", deadline).welcome();
}

Start report_ready(WorkerControl& control, Role role, const AgreedHashes& hashes, Deadline deadline) {
  ControlMessage message;
  Ready& ready = *message.mutable_ready();
  ready.set_config_hash(hashes.config);
  ready.set_layout_hash(hashes.layout);
  if (role == Role::target) ready.set_data_hash(hashes.data);
  control.send(message);
  return expect(control, ControlMessage::kStart, "start", deadline).start();
}

}  // namespace dflash
