#include "coordinator/peer_watch.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

double seconds_between(PeerWatch::TimePoint from, PeerWatch::TimePoint to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

PeerWatch::PeerWatch(const RoleMap& roles, double stall_timeout_s, TimePoint start)
    : roles_(roles), stall_timeout_s_(stall_timeout_s) {
  for (const Role role : {Role::drafter, Role::target}) {
    for (const int rank : roles.ranks_of(role)) last_words_[rank].time = start;
  }
}

void PeerWatch::heard(int rank, const std::string& what, TimePoint now) {
  last_words_[rank] = {now, what};
}

void PeerWatch::check(TimePoint now) const {
  for (const int rank : roles_.ranks_of(Role::drafter)) {
    if (seconds_between(last_words_.at(rank).time, now) < stall_timeout_s_) continue;
    throw Error(
        ErrorKind::stall,
        format("{} has said nothing for run.stall_timeout_s = {:g} s; last heard: {}; see the logs of these ranks",
               roles_.describe(rank), stall_timeout_s_, describe(now)));
  }
}

std::string PeerWatch::describe(TimePoint now) const {
  std::string text;
  for (const auto& [rank, word] : last_words_) {
    if (!text.empty()) text += ", ";
    text += format("{}: {} {:.1f} s ago", roles_.describe(rank), word.what, seconds_between(word.time, now));
  }
  return text;
}

}  // namespace dflash
