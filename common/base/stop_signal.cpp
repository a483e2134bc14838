#include "common/base/stop_signal.h"

#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <ctime>

namespace dflash {
namespace {

std::atomic<int64_t> first_ns = 0;  // steady clock; 0: none came
std::atomic<int> count = 0;
static_assert(std::atomic<int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void note(int) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // what steady_clock reads; safe in a handler
  int64_t none = 0;
  first_ns.compare_exchange_strong(none, int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
  count.fetch_add(1);
}

}  // namespace

void note_stop_signals() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaction(signal_number, &action, nullptr);
}

std::optional<std::chrono::steady_clock::time_point> stop_signal_time() {
  const int64_t ns = first_ns.load();
  if (ns == 0) return std::nullopt;
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns));
}

int stop_signal_count() {
  return count.load();
}

void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace dflash
