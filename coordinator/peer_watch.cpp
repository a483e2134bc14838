#include "coordinator/peer_watch.h"

#include "common/base/format.h"
#include "common/mpi/worker_main.h"

namespace dflash {
namespace {

double seconds_between(PeerWatch::TimePoint from, PeerWatch::TimePoint to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

PeerWatch::PeerWatch(const RoleMap& roles, double stall_timeout_s, TimePoint start)
    : roles_(roles), stall_timeout_s_(stall_timeout_s) {
  for (const int rank : roles.workers()) last_words_[rank].time = last_words_[rank].moved = start;
}

void PeerWatch::heard(int rank, const std::string& what, TimePoint now) {
  LastWord& word = last_words_[rank];
  word.time = word.moved = now;
  word.what = what;
}

void PeerWatch::seen(int rank, const std::string& stage, int64_t sequence, TimePoint now) {
  LastWord& word = last_words_[rank];
  word.time = now;
  if (word.stage == stage && word.sequence == sequence) return;
  word.stage = stage;
  word.sequence = sequence;
  word.moved = now;
}

void PeerWatch::check(TimePoint now) const {
  for (const auto& [rank, word] : last_words_) {
    const bool silent = seconds_between(word.time, now) >= stall_timeout_s_;
    const bool stands = roles_.role_of(rank) == Role::drafter && word.stage != kWaitsForTheEnd &&
                        seconds_between(word.moved, now) >= stall_timeout_s_;
    if (!silent && !stands) continue;
    throw failure(ErrorKind::stall, rank,
                  format("{} {} for run.stall_timeout_s = {:g} s; last heard: {}; see the logs of these ranks",
                         roles_.describe(rank), silent ? "has said nothing (frozen?)" : "has not moved on",
                         stall_timeout_s_, describe_all(now)));
  }
}

std::string PeerWatch::whereabouts(int rank, TimePoint now) const {
  const LastWord& word = last_words_.at(rank);
  const std::string batch = word.sequence < 0 ? "at no batch" : format("at batch {}", word.sequence);
  return format("in '{}' {}, heard {:.1f} s before", word.stage, batch, seconds_between(word.time, now));
}

RunFailure PeerWatch::failure(ErrorKind kind, int rank, const std::string& message) const {
  const LastWord& word = last_words_.at(rank);
  return {kind, message, roles_.describe(rank), word.stage, word.sequence};
}

std::string PeerWatch::describe_all(TimePoint now) const {
  std::string text;
  for (const auto& [rank, word] : last_words_) {
    if (!text.empty()) text += ", ";
    text += format("{}: {} {:.1f} s ago, {}", roles_.describe(rank), word.what, seconds_between(word.moved, now),
                   whereabouts(rank, now));
  }
  return text;
}

}  // namespace dflash
