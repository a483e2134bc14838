#include "coordinator/crew.h"

#include <algorithm>
#include <utility>

#include "common/base/format.h"
#include "common/base/log.h"
#include "common/mpi/handshake.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 50ms;  // how often deaths and stalls are looked for
constexpr auto kTimeForACause = 1s;
constexpr auto kTimeForLastWords = 300ms;
constexpr auto kTimeToSend = 500ms;
constexpr auto kTimeToLeave = 2s;

Deadline sooner(Deadline deadline, std::chrono::nanoseconds time) {
  return Deadline::after(std::min(deadline.remaining(), time));
}

}  // namespace

Crew::Crew(ControlLink& link, const RoleMap& roles, double stall_timeout_s)
    : link_(link), roles_(roles), watch_(std::in_place, roles, stall_timeout_s, Clock::now()) {
  for (const int rank : roles.workers()) {
    const int32_t pid = roles.facts(rank).pid;
    if (pid > 0 && roles.same_node(rank, roles.own_rank())) processes_.emplace(rank, ProcessWatch(pid));
  }
}

void Crew::send_to_all(const ControlMessage& message) {
  for (const int rank : roles_.workers()) link_.send(rank, message);
}

std::optional<Incoming> Crew::wait(Deadline deadline) {
  if (!kept_.empty()) {
    Incoming first = std::move(kept_.front());
    kept_.pop_front();
    return first;
  }
  for (;;) {
    std::optional<Incoming> incoming = link_.wait(sooner(deadline, kLook));
    if (incoming && incoming->message.has_failure()) throw_first_cause(std::move(*incoming));
    if (incoming && !take_sign_of_life(*incoming)) {
      watch_->heard(incoming->rank, message_name(incoming->message), Clock::now());
      return incoming;
    }
    check_deaths();
    watch_->check(Clock::now());
    if (deadline.expired()) return std::nullopt;
  }
}

std::vector<int> Crew::ping(Deadline deadline) {
  ControlMessage message;
  message.mutable_ping();
  send_to_all(message);
  unanswered_ = roles_.workers();
  std::deque<Incoming> others;
  while (!unanswered_.empty() && !deadline.expired()) {
    std::optional<Incoming> incoming = wait(sooner(deadline, kLook));
    if (incoming) others.push_back(std::move(*incoming));
  }
  kept_.insert(kept_.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return unanswered_;
}

RunFailure Crew::failure(ErrorKind kind, int rank, const std::string& what) const {
  return watch_->failure(
      kind, rank, format("{} {}; it was {}", roles_.describe(rank), what, watch_->whereabouts(rank, Clock::now())));
}

bool Crew::take_sign_of_life(const Incoming& incoming) {
  if (incoming.message.has_heartbeat()) {
    const Heartbeat& heartbeat = incoming.message.heartbeat();
    watch_->seen(incoming.rank, heartbeat.stage(), heartbeat.sequence(), Clock::now());
    return true;
  }
  if (!incoming.message.has_pong()) return false;
  std::erase(unanswered_, incoming.rank);
  return true;
}

std::optional<int> Crew::dead_rank() const {
  const auto dead = std::find_if(processes_.begin(), processes_.end(), [](const auto& p) { return p.second.ended(); });
  return dead == processes_.end() ? std::nullopt : std::optional(dead->first);
}

void Crew::check_deaths() {
  if (const std::optional<int> rank = dead_rank()) throw_death(*rank);
}

/// What a rank said before it ended counts for more than that it ended.
void Crew::throw_death(int rank) {
  const Deadline deadline = Deadline::after(kTimeForLastWords);
  while (std::optional<Incoming> incoming = link_.wait(deadline)) {
    if (incoming->rank == rank && incoming->message.has_failure()) throw_failure(*incoming);
    if (incoming->rank == rank) (void)take_sign_of_life(*incoming);
  }
  throw failure(ErrorKind::peer_died, rank, "died (killed? out of memory? its log may say more)");
}

void Crew::throw_first_cause(Incoming cause) {
  const Deadline deadline = Deadline::after(kTimeForACause);
  while (error_kind_of(cause.message.failure().exit_code()) == ErrorKind::peer_died && !deadline.expired()) {
    check_deaths();
    std::optional<Incoming> next = link_.wait(sooner(deadline, kLook));
    if (next && next->message.has_failure()) cause = std::move(*next);
  }
  throw_failure(cause);
}

void Crew::throw_failure(const Incoming& incoming) {
  const Failure& failure = incoming.message.failure();
  const std::string who = roles_.describe(incoming.rank);
  std::string where;
  if (!failure.stage().empty()) where += format(" in '{}'", failure.stage());
  if (failure.sequence() >= 0) where += format(" at batch {}", failure.sequence());
  throw RunFailure(error_kind_of(failure.exit_code()), format("{} failed{}: {}", who, where, failure.message()), who,
                   failure.stage(), failure.sequence());
}

bool Crew::all_ended() const {
  return std::all_of(processes_.begin(), processes_.end(), [](const auto& p) { return p.second.ended(); });
}

void Crew::end(int exit_code, const std::string& message) noexcept {
  try {
    ControlMessage abort;
    abort.mutable_abort()->set_exit_code(exit_code);
    abort.mutable_abort()->set_message(message);
    send_to_all(abort);
    const Deadline deadline = Deadline::after(kTimeToLeave);
    while (!all_ended() && !deadline.expired()) (void)link_.wait(sooner(deadline, 10ms));
    link_.flush(Deadline::after(kTimeToSend));  // to ranks of other nodes
  } catch (const std::exception& error) {
    log_warn(format("the workers could not be told of the failure: {}", error.what()));
  }
  for (const auto& [rank, process] : processes_) process.kill();
}

}  // namespace dflash
