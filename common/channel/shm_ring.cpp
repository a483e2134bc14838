#include "common/channel/shm_ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {

namespace {

constexpr uint64_t kRingMagic = 0x474e4952'48534c46;   // "FLSHRING"
constexpr uint64_t kFrameMagic = 0x454d4152'48534c46;  // "FLSHRAME"
constexpr uint64_t kVersion = 1;
constexpr size_t kAlignment = 64;
constexpr size_t kMostSlotBytes = size_t{1} << 40;
constexpr size_t kMostSlots = size_t{1} << 20;

constexpr size_t aligned(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}
size_t stride(const ChannelShape& shape) {
  return sizeof(FrameHeader) + aligned(shape.slot_bytes);
}
size_t total_bytes(const ChannelShape& shape) {
  return aligned(sizeof(RingControl)) + shape.slot_count * stride(shape);
}

void check_shape(const ChannelShape& shape) {
  if (shape.slot_bytes >= 1 && shape.slot_bytes <= kMostSlotBytes && shape.slot_count >= 1 &&
      shape.slot_count <= kMostSlots) {
    return;
  }
  throw Error(ErrorKind::config, format("a channel of {} slots of {} bytes cannot be: 1 to {} slots of 1 to {} bytes",
                                        shape.slot_count, shape.slot_bytes, kMostSlots, kMostSlotBytes));
}

void check_equal(const char* what, uint64_t receiver, uint64_t sender) {
  if (receiver == sender) return;
  throw Error(ErrorKind::config,
              format("the ends of a channel differ: {} is {} at the receiver, {} at the sender; both "
                     "must run with the same settings and build",
                     what, receiver, sender));
}

void check_control(const RingControl& there, size_t size_bytes, const ChannelShape& shape) {
  check_equal("ring magic", there.magic, kRingMagic);
  check_equal("ring version", there.version, kVersion);
  check_equal("slot_bytes", there.slot_bytes, shape.slot_bytes);
  check_equal("slot_count", there.slot_count, shape.slot_count);
  if (there.layout_hash != shape.layout_hash) {
    throw Error(ErrorKind::config, format("the ends of a channel lay out batches differently: layout hash {} at the "
                                          "receiver, {} at the sender; both must run with the same settings and build",
                                          hash_hex(there.layout_hash), hash_hex(shape.layout_hash)));
  }
  check_equal("size in bytes", size_bytes, total_bytes(shape));
}

}  // namespace

FrameHeader make_frame_header(uint64_t index, uint64_t layout_hash) {
  FrameHeader header{.magic = kFrameMagic, .index = index, .layout_hash = layout_hash, .checksum = 0, .zero = {}};
  header.checksum = hash_bytes(std::as_bytes(std::span(&header, 1)).first(offsetof(FrameHeader, checksum)));
  return header;
}

ShmRing ShmRing::create(const ChannelShape& shape) {
  check_shape(shape);
  ShmRing ring(ShmMemory::create(total_bytes(shape)), shape);
  auto* const control = new (ring.memory_.data()) RingControl{};
  control->magic = kRingMagic;
  control->version = kVersion;
  control->slot_bytes = shape.slot_bytes;
  control->slot_count = shape.slot_count;
  control->layout_hash = shape.layout_hash;
  constexpr int kSharedByProcesses = 1;
  // Never destroyed: the other end may still post them, and they hold nothing but these bytes.
  sem_init(&control->free, kSharedByProcesses, static_cast<unsigned>(shape.slot_count));
  sem_init(&control->filled, kSharedByProcesses, 0);
  return ring;
}

ShmRing ShmRing::open(const ShmAddress& address, const ChannelShape& shape) {
  check_shape(shape);
  ShmRing ring(ShmMemory::open(address), shape);
  if (ring.memory_.size_bytes() < sizeof(RingControl)) {
    throw Error(ErrorKind::config,
                format("the receiver's shared memory of {} bytes holds no ring", address.total_bytes));
  }
  check_control(ring.control(), ring.memory_.size_bytes(), shape);
  return ring;
}

FrameHeader& ShmRing::header(uint64_t index) const {
  const size_t offset = aligned(sizeof(RingControl)) + (index % shape_.slot_count) * stride(shape_);
  return *reinterpret_cast<FrameHeader*>(memory_.data() + offset);
}

std::span<std::byte> ShmRing::payload(uint64_t index) const {
  return {reinterpret_cast<std::byte*>(&header(index)) + sizeof(FrameHeader), shape_.slot_bytes};
}

bool take_token(sem_t& semaphore, Deadline deadline) {
  const auto since_boot =
      std::max(std::chrono::nanoseconds{0}, std::chrono::nanoseconds(deadline.when().time_since_epoch()));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const timespec until{.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
  while (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) != 0) {
    if (errno == ETIMEDOUT) return false;
    if (errno != EINTR) throw Error(ErrorKind::internal, format("sem_clockwait: {}", strerror(errno)));
  }
  return true;
}

}  // namespace dflash
