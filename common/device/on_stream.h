// OnStream<T>: a Buffer or a Lease that the kernels of one stream may use, and nobody else.
//
//   OnStream<Buffer> batch = copy_async(copies, ...).then(compute);            compute waits, this thread does not
//   launch(compute, [&](std::span<std::byte> bytes) { train(bytes); }, batch);
//   (dropped: the memory is free again when that kernel is done)
//
// A kernel is a function that submits or does the work. On a device with streams of its own (cuda) it is called at once
// and enqueues; on a simulated device the compute engine calls it later, on its thread; on the cpu it is called at once
// (after what its stream waits for) and is done when launch() returns. So what it refers to must live until the stream
// is past it, and the views it is given end with the call. It does not submit to its own stream. What it throws becomes
// the error of the stream.
//
// Threading: one thread at a time; may be moved to another and destroyed on any. Owns: the T, until its stream is past
// the last kernel that was launched with it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "common/device/custody.h"
#include "common/device/landed.h"

namespace dflash {

template <typename T>
class [[nodiscard]] OnStream {
 public:
  OnStream(OnStream&&) noexcept = default;
  OnStream& operator=(OnStream&&) noexcept = default;

  /// Waits until the stream is past it. Error{stall} at the deadline, the stream's error when an operation failed; what
  /// is then dropped is freed when the device is past it.
  [[nodiscard]] Landed<T> land(Deadline deadline) && { return Landed<T>(std::get<0>(custody_.wait(deadline))); }
  /// Hands it on: what `stream` does with it begins when the old stream is past it. Does not block.
  [[nodiscard]] OnStream then(Stream& stream) && {
    const auto& core = DeviceAccess::core(stream);
    core->wait(custody_.fence());
    stream_ = core;
    return std::move(*this);
  }
  /// The device is past it: land() would not wait.
  [[nodiscard]] bool passed() const { return custody_.fence().passed(); }

 private:
  template <typename>
  friend class Landed;
  template <typename, typename>
  friend class InFlight;
  friend struct DeviceOperations;
  OnStream(std::shared_ptr<StreamCore> stream, Custody<T> custody)
      : stream_(std::move(stream)), custody_(std::move(custody)) {}

  std::shared_ptr<StreamCore> stream_;
  Custody<T> custody_;
};

template <typename T>
OnStream<T> Landed<T>::on(Stream& stream) && {
  static_cast<void>(checked_bytes());
  const auto& core = DeviceAccess::core(stream);
  Custody<T> custody(core->reaper);
  custody.begin(core->record(), std::move(owner_));
  return OnStream<T>(core, std::move(custody));
}

}  // namespace dflash
