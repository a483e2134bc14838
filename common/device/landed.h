// Landed<T>: a Buffer or a Lease that no device touches. The only state with a host view, and the only one that may be
// published to somebody else.
//
// Life of a buffer:
//   1. pool.take(deadline) -> Landed<Buffer>                              the host writes into host_view()
//   2. copy_async(stream, std::move(a), std::move(b)) -> InFlight         both sides are out of reach
//   3. std::move(in_flight).land(deadline) -> {Landed, Landed}            both are back; the bytes have arrived
//      or std::move(in_flight).then(compute) -> OnStream                  kernels of `compute` work on the destination
//   4. it is destroyed: the block is free again, as soon as the device is past it, whatever state it was dropped in
//
// Right:  auto [from, to] = copy_async(stream, std::move(a), std::move(b)).land(deadline); read(to.host_view());
// Wrong:  auto view = a.host_view(); copy_async(stream, std::move(a), ...); view[0] = ...: the device is reading.
//         A view ends when its Landed is moved from or destroyed.
//
// Threading: one thread at a time; may be moved to another and destroyed on any. Owns: the T.
#pragma once

#include <span>
#include <utility>

#include "common/base/error.h"
#include "common/device/device_access.h"

namespace dflash {

template <typename T>
class OnStream;

template <typename T>
class [[nodiscard]] Landed {
  static_assert(BytesOwner<T>);

 public:
  Landed(Landed&&) noexcept = default;
  Landed& operator=(Landed&&) noexcept = default;

  /// Error{internal} for device memory, and for what was moved from.
  [[nodiscard]] std::span<std::byte> host_view() & { return checked_view(); }
  [[nodiscard]] std::span<const std::byte> host_view() const& { return checked_view(); }
  void host_view() && = delete;  ///< the view would outlive the bytes
  void host_view() const&& = delete;

  /// The owner, for what else it knows: its size, a lease's slot.
  [[nodiscard]] const T* operator->() const { return &owner_; }

  /// Hands it to the kernels of `stream`: on_stream.h. Error{internal} for what was moved from.
  [[nodiscard]] OnStream<T> on(Stream& stream) &&;

 private:
  friend class Pool;
  template <typename>
  friend class Lease;
  template <typename, typename>
  friend class InFlight;
  template <typename>
  friend class OnStream;
  friend struct DeviceOperations;
  explicit Landed(T owner) : owner_(std::move(owner)) {}

  [[nodiscard]] std::span<std::byte> checked_bytes() const {
    const std::span<std::byte> bytes = DeviceAccess::bytes(owner_);
    if (bytes.data() == nullptr) throw Error(ErrorKind::internal, "a buffer or slot is used after it was handed over");
    return bytes;
  }
  [[nodiscard]] std::span<std::byte> checked_view() const {
    const std::span<std::byte> bytes = checked_bytes();
    if (owner_.memory_kind() == MemoryKind::device) {
      throw Error(ErrorKind::internal, "device memory has no host view: copy it to pinned memory");
    }
    return bytes;
  }

  T owner_;
};

}  // namespace dflash
