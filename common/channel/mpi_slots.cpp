#include "common/channel/mpi_slots.h"

#include <new>

#include "common/channel/memory_room.h"

namespace dflash {

namespace {

constexpr std::align_val_t kAlignment{alignof(FrameHeader)};

}  // namespace

std::shared_ptr<std::byte[]> make_frames(const ChannelShape& shape, size_t count) {
  const size_t bytes = count * frame_stride_bytes(shape);
  require_room(bytes, "memory");
  auto* const memory = static_cast<std::byte*>(::operator new(bytes, kAlignment, std::nothrow));
  if (memory == nullptr) throw_no_room(bytes, "memory", "the allocation failed");
  return {memory, [](std::byte* begin) { ::operator delete(begin, kAlignment); }};
}

MpiSlots::MpiSlots(const ChannelShape& shape, size_t count, const std::shared_ptr<std::byte[]>& frames,
                   const MpiRoute& route, MakeTransfer make)
    : shape_(shape), frames_(frames) {
  const size_t stride = frame_stride_bytes(shape);
  for (size_t slot = 0; slot < count; ++slot) {
    const std::shared_ptr<std::byte[]> frame(frames, frames.get() + slot * stride);
    transfers_.push_back(make(route.comm, route.rank, route.tag, frame, sizeof(FrameHeader) + shape.slot_bytes));
  }
}

FrameHeader& MpiSlots::header(uint64_t index) const {
  return *reinterpret_cast<FrameHeader*>(frames_.get() + (index % transfers_.size()) * frame_stride_bytes(shape_));
}

std::span<std::byte> MpiSlots::payload(uint64_t index) const {
  return {reinterpret_cast<std::byte*>(&header(index)) + sizeof(FrameHeader), shape_.slot_bytes};
}

}  // namespace dflash
