#include "common/channel/shm_ring.h"

#include <new>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

namespace {

constexpr uint64_t kRingMagic = 0x474e4952'48534c46;  // "FLSHRING"
constexpr size_t kControlBytes = (sizeof(RingControl) + 63) / 64 * 64;

size_t total_bytes(const ChannelShape& shape) {
  return kControlBytes + shape.slot_count * frame_stride_bytes(shape);
}

Error no_ring(const std::string& why) {
  return Error(ErrorKind::config, format("the receiver's shared memory holds no ring of a channel: {}", why));
}

}  // namespace

ShmRing ShmRing::create(const ChannelShape& shape) {
  ShmRing ring(ShmMemory::create(total_bytes(shape)), shape);
  auto* const control = new (ring.memory_.data()) RingControl{};
  control->magic = kRingMagic;
  constexpr int kSharedByProcesses = 1;
  // Never destroyed: the other end may still post them, and they hold nothing but these bytes.
  sem_init(&control->free, kSharedByProcesses, static_cast<unsigned>(shape.slot_count));
  sem_init(&control->filled, kSharedByProcesses, 0);
  return ring;
}

ShmRing ShmRing::open(const ShmAddress& address, const ChannelShape& shape) {
  ShmRing ring(ShmMemory::open(address), shape);
  if (ring.memory_.size_bytes() != total_bytes(shape)) {
    throw no_ring(format("it has {} bytes, such a ring needs {}", ring.memory_.size_bytes(), total_bytes(shape)));
  }
  if (ring.control().magic != kRingMagic) throw no_ring("it begins with other bytes");
  return ring;
}

FrameHeader& ShmRing::header(uint64_t index) const {
  const size_t offset = kControlBytes + (index % shape_.slot_count) * frame_stride_bytes(shape_);
  return *reinterpret_cast<FrameHeader*>(memory_.data() + offset);
}

std::span<std::byte> ShmRing::payload(uint64_t index) const {
  return {reinterpret_cast<std::byte*>(&header(index)) + sizeof(FrameHeader), shape_.slot_bytes};
}

}  // namespace dflash
