// watched_wait: a wait for the other end of a channel that also ends when the process of that end dies.
#pragma once

#include <algorithm>
#include <chrono>

#include "common/base/deadline.h"
#include "common/base/process.h"

namespace dflash {

enum class Waited { ready, timeout, peer_ended };

/// `wait_until(Deadline)` returns true as soon as there is something to look at, false when its deadline passed first.
/// It is called in slices, with a look at the process between them; after its death once more, for what was on its way.
template <typename WaitUntil>
[[nodiscard]] Waited watched_wait(const ProcessWatch& peer, Deadline deadline, WaitUntil wait_until) {
  constexpr std::chrono::nanoseconds kSlice = std::chrono::milliseconds(100);
  constexpr std::chrono::nanoseconds kLastLook = std::chrono::milliseconds(20);
  std::chrono::nanoseconds slice = std::min(kSlice, deadline.remaining());
  while (!wait_until(Deadline::after(slice))) {
    if (peer.ended()) return wait_until(Deadline::after(kLastLook)) ? Waited::ready : Waited::peer_ended;
    if (deadline.expired()) return Waited::timeout;
    slice = std::min(kSlice, deadline.remaining());
  }
  return Waited::ready;
}

}  // namespace dflash
