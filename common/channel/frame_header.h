// FrameHeader: the 64 bytes before every payload, by which a receiver tells that a frame is the one it expects, whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/channel/channel.h"

namespace dflash {

struct alignas(64) FrameHeader {
  uint64_t magic;
  uint64_t index;  // 0 for the first frame of a channel
  uint64_t layout_hash;
  uint64_t payload_checksum;  // 0 when the channel has none
  uint64_t checksum;          // of the fields above
  uint64_t zero[3];           // named, so that no byte of a header is left to chance
};
static_assert(sizeof(FrameHeader) == 64);

/// Frames lie one behind the other, each a header and its payload, every one at a multiple of 64.
[[nodiscard]] size_t frame_stride_bytes(const ChannelShape& shape);

[[nodiscard]] FrameHeader make_frame_header(uint64_t index, const ChannelShape& shape,
                                            std::span<const std::byte> payload);

/// Error{internal} that names the frame unless header and payload are exactly what frame `index` must hold.
void check_frame(const FrameHeader& found, uint64_t index, const ChannelShape& shape,
                 std::span<const std::byte> payload);

}  // namespace dflash
