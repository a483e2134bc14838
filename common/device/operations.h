// copy_async and launch: the two things a stream can be asked to do.
//
//   copy_async(stream, std::move(from), std::move(to)) -> InFlight      each side Landed, or OnStream of any stream
//   launch(stream, kernel, a, b, ...)                                   each an OnStream of that stream: on_stream.h
//
// A side that is OnStream of another stream is waited for by this one; nothing has to be ordered by hand.
//
// Errors: a call that throws has submitted nothing, and what it was given is still the caller's, unchanged.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "common/device/in_flight.h"

namespace dflash {

class Buffer;

/// The part of both sides that a copy means.
struct CopyRange {
  static constexpr size_t kAll = static_cast<size_t>(-1);  ///< of the source, from `from_byte`
  size_t from_byte = 0;
  size_t to_byte = 0;
  size_t size_bytes = kAll;
};

/// What one side of a copy is: Landed<T> or OnStream<T>.
template <typename Side>
struct DeviceSide;
template <typename T>
struct DeviceSide<Landed<T>> {
  using Owner = T;
};
template <typename T>
struct DeviceSide<OnStream<T>> {
  using Owner = T;
};
/// An rvalue of a side: a copy takes both over.
template <typename Side>
concept HandedOverSide = requires { typename DeviceSide<Side>::Owner; };

template <typename>
using BytesOf = std::span<std::byte>;

/// Internal to this room: copy_async and launch below are the doors.
struct DeviceOperations {
  template <typename Src, typename Dst>
  static auto copy(const Stream& on, Src&& src, Dst&& dst, const CopyRange& range) {
    const std::shared_ptr<StreamCore>& stream = DeviceAccess::core(on);
    using InFlightSides = InFlight<typename DeviceSide<Src>::Owner, typename DeviceSide<Dst>::Owner>;
    const CopyJob job = job_of(view(src), view(dst), range);
    Custody<typename DeviceSide<Src>::Owner, typename DeviceSide<Dst>::Owner> custody(stream->reaper);
    order_after(*stream, src);
    if (!has_fault(DeviceFault::lost_wait)) order_after(*stream, dst);
    announce(*stream, dst, job);
    // Nothing between the submission and begin() may throw: the two sides would be let go while they are copied.
    const Fence fence = submit(*stream, job);
    if (has_fault(DeviceFault::throw_after_enqueue)) throw std::bad_alloc();
    custody.begin(fence, give(src), give(dst));
    if (has_fault(DeviceFault::early_source_free)) free_source(custody);
    if constexpr (std::is_same_v<typename DeviceSide<Src>::Owner, Buffer>) {
      if (has_fault(DeviceFault::resize_during_copy)) DeviceAccess::take_other_block(custody.template get<0>());
    }
    return InFlightSides(std::move(custody));
  }

  template <typename Kernel, typename... T>
  static void launch(const Stream& on, Kernel kernel, OnStream<T>&... things) {
    const std::shared_ptr<StreamCore>& stream = DeviceAccess::core(on);
    if (((things.stream_ != stream) || ...)) {
      throw Error(ErrorKind::internal, "a kernel was given what belongs to another stream: hand it over with then()");
    }
    const Fence fence = stream->launch([kernel = std::move(kernel), ... bytes = view(things)] { kernel(bytes...); });
    if (!has_fault(DeviceFault::credit_before_kernel)) (things.custody_.extend(fence), ...);
  }

 private:
  /// Error{internal} unless the range lies within both.
  static CopyJob job_of(std::span<std::byte> src, std::span<std::byte> dst, const CopyRange& range);
  static Fence submit(StreamCore& stream, CopyJob job);

  template <typename T>
  static std::span<std::byte> view(const Landed<T>& side) {
    return DeviceAccess::bytes(side.owner_);
  }
  template <typename T>
  static std::span<std::byte> view(OnStream<T>& side) {
    return DeviceAccess::bytes(side.custody_.template get<0>());
  }
  template <typename T>
  static void order_after(StreamCore& /*stream*/, const Landed<T>& /*side*/) {}
  template <typename T>
  static void order_after(StreamCore& stream, const OnStream<T>& side) {
    if (side.stream_.get() != &stream) stream.wait(side.custody_.fence());
  }
  template <typename T>
  static void announce(StreamCore& stream, const Landed<T>& /*side*/, const CopyJob& job) {
    stream.backend->destination_submitted({job.to, job.size_bytes});
  }
  template <typename T>
  static void announce(StreamCore& /*stream*/, const OnStream<T>& /*side*/, const CopyJob& /*job*/) {}
  template <typename T>
  static T give(Landed<T>& side) noexcept {
    return std::move(side.owner_);
  }
  template <typename T>
  static T give(OnStream<T>& side) noexcept {
    return std::get<0>(side.custody_.take());
  }
  /// What must never happen.
  template <typename Src, typename Dst>
  static void free_source(Custody<Src, Dst>& custody) noexcept {
    DeviceAccess::set_state(custody.template get<0>(), UseState::landed);
    const Src freed = std::move(custody.template get<0>());
  }
};

/// Copies bytes in the order of `stream` and takes both sides over until that is done. By default the whole source to
/// the beginning of the destination. Error{internal} when the range does not lie within both. Does not block (on the
/// cpu it is done when the call returns).
template <HandedOverSide Src, HandedOverSide Dst>
[[nodiscard]] auto copy_async(Stream& stream, Src&& src, Dst&& dst, const CopyRange& range = {}) {
  return DeviceOperations::copy(stream, std::forward<Src>(src), std::forward<Dst>(dst), range);
}

/// Runs `kernel(bytes of a, bytes of b, ...)` in the order of `stream`; all stay its until then. Error{internal} when
/// one of them is of another stream.
template <std::copy_constructible Kernel, typename... T>
  requires std::invocable<const Kernel&, BytesOf<T>...>
void launch(Stream& stream, Kernel kernel, OnStream<T>&... things) {
  DeviceOperations::launch(stream, std::move(kernel), things...);
}

}  // namespace dflash
