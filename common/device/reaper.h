// Reaper: what a program dropped while the device may still use it waits here until the device is past it.
//
// Whoever drops never waits, and nothing is freed early: a thread looks at the fences (at least once a millisecond
// while anything is held) and gives back what has passed. Internal to this room.
//
// Threading: any thread. Owns: what it holds, and its thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

#include "common/base/deadline.h"
#include "common/device/device_access.h"

namespace dflash {

/// Things of any types, and the fence after which no device touches them.
struct HeldThings {
  HeldThings() = default;
  virtual ~HeldThings() = default;
  HeldThings(const HeldThings&) = delete;
  HeldThings& operator=(const HeldThings&) = delete;
  virtual void settle(UseState state) noexcept = 0;

  std::optional<Fence> fence;
  std::unique_ptr<HeldThings> next;  // a list without nodes: to hold a thing allocates nothing, so it cannot fail
};

template <typename... T>
struct Held final : HeldThings {
  void settle(UseState state) noexcept override {
    if (owned) std::apply([state](T&... thing) { (DeviceAccess::set_state(thing, state), ...); }, *owned);
  }
  std::optional<std::tuple<T...>> owned;
};

class Reaper {
 public:
  Reaper();
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  /// Gives it back at once when its fence has passed.
  void hold(std::unique_ptr<HeldThings> held) noexcept;
  /// Waits until nothing is held; false at the deadline.
  [[nodiscard]] bool drain(Deadline deadline);
  /// Drains, then ends the thread. What is then still held, and what comes later and has not passed, is never freed.
  /// The number of things left.
  size_t close(Deadline deadline) noexcept;
  [[nodiscard]] size_t held_count() const;

 private:
  void loop();
  void take_passed(std::unique_ptr<HeldThings>& passed) noexcept;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable came_;
  std::condition_variable emptied_;
  std::unique_ptr<HeldThings> first_;
  size_t held_count_ = 0;  // in the list, or being given back
  bool closed_ = false;
  std::thread thread_;  // last: it starts when the members above exist
};

}  // namespace dflash
