#include "common/mpi/handshake.h"

#include <set>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/mpi/build_id.h"

namespace dflash {

namespace {

using Body = ControlMessage::BodyCase;

std::string body_name(Body body) {
  const auto* field = ControlMessage::descriptor()->FindFieldByNumber(body);
  return field == nullptr ? "nothing" : field->name();
}

std::string describe_all(const RoleMap& roles, const std::set<int>& ranks) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : ", ") + roles.describe(rank);
  return text;
}

[[noreturn]] void throw_failure(const RoleMap& roles, int rank, const Failure& failure) {
  const std::string stage = failure.stage().empty() ? "" : format("{}: ", failure.stage());
  throw Error(error_kind_of(failure.exit_code()), format("{}: {}{}", roles.describe(rank), stage, failure.message()));
}

/// Takes one message of kind `expected` from every rank of `missing`, in any order. A Failure becomes its Error.
template <typename Take>
void take_one_of_each(ControlLink& link, const RoleMap& roles, std::set<int> missing, Body expected, Deadline deadline,
                      Take take) {
  while (!missing.empty()) {
    const std::optional<Incoming> incoming = link.wait(deadline);
    if (!incoming) {
      throw Error(ErrorKind::stall,
                  format("no {} within the time from {}", body_name(expected), describe_all(roles, missing)));
    }
    const ControlMessage& message = incoming->message;
    if (message.has_failure()) throw_failure(roles, incoming->rank, message.failure());
    if (message.body_case() != expected || missing.erase(incoming->rank) == 0) {
      throw Error(ErrorKind::internal,
                  format("{} sent {} while {} was awaited from {}", roles.describe(incoming->rank),
                         body_name(message.body_case()), body_name(expected), describe_all(roles, missing)));
    }
    take(incoming->rank, message);
  }
}

std::set<int> workers_of(const RoleMap& roles) {
  std::set<int> workers;
  for (const Role role : {Role::target, Role::drafter}) {
    for (const int rank : roles.ranks_of(role)) workers.insert(rank);
  }
  return workers;
}

void send_to_workers(ControlLink& link, const RoleMap& roles, const ControlMessage& message) {
  for (const int rank : workers_of(roles)) link.send(rank, message);
}

/// `who` and `did` make the sentence: "target 1 (rank 2) was built differently: build hash .. there, .. here".
void check_equal(const std::string& who, const char* did, const char* which, uint64_t there, uint64_t here) {
  if (there == here) return;
  throw Error(ErrorKind::config,
              format("{} {}: {} hash {} there, {} here; both must run with the same settings and build", who, did,
                     which, hash_hex(there), hash_hex(here)));
}

Hello own_hello() {
  Hello hello;
  hello.set_build_hash(build_hash());
  return hello;
}

}  // namespace

uint64_t build_hash() {
  return hash_text(DFLASH_BUILD_ID);
}

void welcome_workers(ControlLink& link, const RoleMap& roles, const RunConfig& config, Deadline deadline) {
  take_one_of_each(
      link, roles, workers_of(roles), Body::kHello, deadline, [&](int rank, const ControlMessage& message) {
        check_equal(roles.describe(rank), "was built differently", "build", message.hello().build_hash(), build_hash());
      });
  // Only now, so that nobody loads a model before all have been found fit.
  ControlMessage welcome;
  *welcome.mutable_welcome()->mutable_config() = config;
  send_to_workers(link, roles, welcome);
}

void await_ready(ControlLink& link, const RoleMap& roles, const AgreedHashes& expected, Deadline deadline) {
  take_one_of_each(
      link, roles, workers_of(roles), Body::kReady, deadline, [&](int rank, const ControlMessage& message) {
        const Ready& ready = message.ready();
        const std::string who = roles.describe(rank);
        check_equal(who, "understood the settings differently", "configuration", ready.config_hash(), expected.config);
        check_equal(who, "laid out batches differently", "layout", ready.layout_hash(), expected.layout);
        if (roles.role_of(rank) == Role::target) {
          check_equal(who, "read other data", "data", ready.data_hash(), expected.data);
        }
      });
}

void start_workers(ControlLink& link, const RoleMap& roles, const Start& start) {
  ControlMessage message;
  *message.mutable_start() = start;
  send_to_workers(link, roles, message);
}

RunConfig join_run(ControlLink& link, const RoleMap& roles, Deadline deadline) {
  ControlMessage message;
  *message.mutable_hello() = own_hello();
  link.send(roles.coordinator_rank(), message);
  RunConfig config;
  take_one_of_each(link, roles, {roles.coordinator_rank()}, Body::kWelcome, deadline,
                   [&](int, const ControlMessage& answer) { config = answer.welcome().config(); });
  return config;
}

Start report_ready(ControlLink& link, const RoleMap& roles, const AgreedHashes& hashes, Deadline deadline) {
  ControlMessage message;
  message.mutable_ready()->set_config_hash(hashes.config);
  message.mutable_ready()->set_layout_hash(hashes.layout);
  if (roles.own_role() == Role::target) message.mutable_ready()->set_data_hash(hashes.data);
  link.send(roles.coordinator_rank(), message);
  Start start;
  take_one_of_each(link, roles, {roles.coordinator_rank()}, Body::kStart, deadline,
                   [&](int, const ControlMessage& answer) { start = answer.start(); });
  return start;
}

}  // namespace dflash
