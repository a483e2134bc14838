#include "coordinator/roll_call.h"

#include <set>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/base/stop_signal.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Body = ControlMessage::BodyCase;

std::string describe_all(const RoleMap& roles, const std::set<int>& ranks) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : ", ") + roles.describe(rank);
  return text;
}

/// Takes one message of kind `expected` from every worker, in any order.
template <typename Take>
void take_one_of_each(Crew& crew, Body expected, const char* name, Deadline deadline, Take take) {
  const RoleMap& roles = crew.roles();
  const std::vector<int> workers = roles.workers();
  std::set<int> missing(workers.begin(), workers.end());
  while (!missing.empty()) {
    if (stop_signal_time()) throw Error(ErrorKind::stopped, "a signal ended the run before its first step");
    const std::optional<Incoming> incoming =
        crew.wait(Deadline::after(std::min<std::chrono::nanoseconds>(deadline.remaining(), 100ms)));
    if (incoming && (incoming->message.body_case() != expected || missing.erase(incoming->rank) == 0)) {
      throw Error(ErrorKind::internal, format("{} sent {} while {} was awaited from {}", roles.describe(incoming->rank),
                                              message_name(incoming->message), name, describe_all(roles, missing)));
    }
    if (incoming) take(roles.describe(incoming->rank), *incoming);
    if (!missing.empty() && deadline.expired()) {
      throw Error(ErrorKind::stall, format("no {} within the time from {}", name, describe_all(roles, missing)));
    }
  }
}

/// `who` and `did` make the sentence: "target 1 (rank 2) was built differently: build hash .. there, .. here".
void check_equal(const std::string& who, const char* did, const char* which, uint64_t there, uint64_t here) {
  if (there == here) return;
  throw Error(ErrorKind::config,
              format("{} {}: {} hash {} there, {} here; both must run with the same settings and build", who, did,
                     which, hash_hex(there), hash_hex(here)));
}

}  // namespace

void welcome_workers(Crew& crew, const Welcome& welcome, Deadline deadline) {
  take_one_of_each(crew, Body::kHello, "hello", deadline, [&](const std::string& who, const Incoming& incoming) {
    check_equal(who, "was built differently", "build", incoming.message.hello().build_hash(), build_hash());
  });
  ControlMessage message;
  *message.mutable_welcome() = welcome;
  crew.send_to_all(message);
}

void await_ready(Crew& crew, const AgreedHashes& expected, Deadline deadline) {
  take_one_of_each(crew, Body::kReady, "ready", deadline, [&](const std::string& who, const Incoming& incoming) {
    const Ready& ready = incoming.message.ready();
    check_equal(who, "understood the settings differently", "configuration", ready.config_hash(), expected.config);
    check_equal(who, "laid out batches differently", "layout", ready.layout_hash(), expected.layout);
    if (crew.roles().role_of(incoming.rank) != Role::target) return;
    check_equal(who, "read other data", "data", ready.data_hash(), expected.data);
  });
}

void start_workers(Crew& crew, const Start& start) {
  ControlMessage message;
  *message.mutable_start() = start;
  crew.send_to_all(message);
}

}  // namespace dflash
