// TokenTaker: one end's waits for the tokens of a semaphore that another process posts.
//
//   TokenTaker filled(ring->control().filled);
//   if (!filled.take(deadline)) return timeout;
//
// Between two ends that are both at work a sleep and a wake-up cost more than the wait itself: so it looks awake as
// long as the last wait was that short. After a longer one it sleeps at once, because a waiter that has just burned its
// share of a processor is woken later than one that has slept (measured: the wake-up takes half as long again).
//
// Threading: one thread. Owns: nothing; the semaphore must outlive it.
#pragma once

#include <semaphore.h>

#include "common/base/deadline.h"

namespace dflash {

class TokenTaker {
 public:
  explicit TokenTaker(sem_t& semaphore) : semaphore_(&semaphore) {}

  /// Takes one token; false when the deadline passed first. A token that is there is taken also after the deadline.
  [[nodiscard]] bool take(Deadline deadline);

 private:
  [[nodiscard]] bool take_awake(Deadline::Clock::time_point until);
  [[nodiscard]] bool take_asleep(Deadline deadline);

  sem_t* semaphore_;
  bool last_wait_was_short_ = true;
};

}  // namespace dflash
