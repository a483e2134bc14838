#include "common/channel/token_taker.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

namespace {

/// Some times what a sleep and its wake-up take on the machines of today.
constexpr std::chrono::microseconds kShortWait{50};

}  // namespace

bool TokenTaker::take(Deadline deadline) {
  if (sem_trywait(semaphore_) == 0) return true;
  if (deadline.expired()) return false;
  const auto begin = Deadline::Clock::now();
  if (last_wait_was_short_ && take_awake(std::min(begin + kShortWait, deadline.when()))) return true;
  const bool taken = take_asleep(deadline);
  last_wait_was_short_ = taken && Deadline::Clock::now() - begin < kShortWait;
  return taken;
}

bool TokenTaker::take_awake(Deadline::Clock::time_point until) {
  do {
    if (sem_trywait(semaphore_) == 0) return true;
    __builtin_ia32_pause();
  } while (Deadline::Clock::now() < until);
  return false;
}

bool TokenTaker::take_asleep(Deadline deadline) {
  const auto since_boot =
      std::max(std::chrono::nanoseconds{0}, std::chrono::nanoseconds(deadline.when().time_since_epoch()));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const timespec until{.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
  while (sem_clockwait(semaphore_, CLOCK_MONOTONIC, &until) != 0) {
    if (errno == ETIMEDOUT) return false;
    if (errno != EINTR) throw Error(ErrorKind::internal, format("sem_clockwait: {}", strerror(errno)));
  }
  return true;
}

}  // namespace dflash
