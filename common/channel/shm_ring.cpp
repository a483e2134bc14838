#include "common/channel/shm_ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
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

/// Looks a little before it sleeps: between two ends that are both at work, waking a sleeper would cost more than the
/// look. Some 20 us on the machines of today.
bool take_token_awake(sem_t& semaphore) {
  constexpr int kLooks = 400;
  for (int look = 0; look < kLooks; ++look) {
    if (sem_trywait(&semaphore) == 0) return true;
    __builtin_ia32_pause();
  }
  return false;
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

bool take_token(sem_t& semaphore, Deadline deadline) {
  if (take_token_awake(semaphore)) return true;
  if (deadline.expired()) return false;
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
