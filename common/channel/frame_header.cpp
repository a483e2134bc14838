#include "common/channel/frame_header.h"

#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/device/test_faults.h"

namespace dflash {

namespace {

constexpr uint64_t kFrameMagic = 0x454d4152'48534c46;  // "FLSHRAME"

FrameHeader header_of(uint64_t index, uint64_t layout_hash, uint64_t payload_checksum) {
  FrameHeader header{.magic = kFrameMagic,
                     .index = index,
                     .layout_hash = layout_hash,
                     .payload_checksum = payload_checksum,
                     .checksum = 0,
                     .zero = {}};
  header.checksum = hash_bytes(std::as_bytes(std::span(&header, 1)).first(offsetof(FrameHeader, checksum)));
  return header;
}

}  // namespace

size_t frame_stride_bytes(const ChannelShape& shape) {
  constexpr size_t kAlignment = alignof(FrameHeader);
  return sizeof(FrameHeader) + (shape.slot_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

FrameHeader make_frame_header(uint64_t index, const ChannelShape& shape, std::span<const std::byte> payload) {
  if (has_fault(DeviceFault::checksum_over_padding)) {
    payload = {payload.data(), frame_stride_bytes(shape) - sizeof(FrameHeader)};
  }
  return header_of(index, shape.layout_hash, shape.payload_checksum ? hash_bytes(payload) : 0);
}

void check_frame(const FrameHeader& found, uint64_t index, const ChannelShape& shape,
                 std::span<const std::byte> payload) {
  const FrameHeader expected = header_of(index, shape.layout_hash, shape.payload_checksum ? found.payload_checksum : 0);
  if (std::memcmp(&found, &expected, sizeof expected) != 0) {
    throw Error(
        ErrorKind::internal,
        format("corrupt header of frame {} of a channel: it says frame {}, layout hash {:016x}, checksum {:016x}; "
               "expected were layout hash {:016x}, checksum {:016x}",
               index, found.index, found.layout_hash, found.checksum, expected.layout_hash, expected.checksum));
  }
  if (!shape.payload_checksum) return;
  const uint64_t checksum = hash_bytes(payload);
  if (checksum == found.payload_checksum) return;
  throw Error(ErrorKind::internal,
              format("corrupt payload of frame {} of a channel: its checksum is {:016x}, the sender's was {:016x}",
                     index, checksum, found.payload_checksum));
}

}  // namespace dflash
