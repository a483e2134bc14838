#include "common/device/operations.h"

#include "common/base/format.h"

namespace dflash {

CopyJob DeviceOperations::job_of(std::span<std::byte> src, std::span<std::byte> dst, const CopyRange& range) {
  const bool all = range.size_bytes == CopyRange::kAll && range.from_byte <= src.size();
  const size_t size_bytes = all ? src.size() - range.from_byte : range.size_bytes;
  if (src.empty() || range.from_byte > src.size() || size_bytes > src.size() - range.from_byte ||
      range.to_byte > dst.size() || size_bytes > dst.size() - range.to_byte) {
    throw Error(
        ErrorKind::internal,
        format("a copy of {} bytes from byte {} of {} to byte {} of {} does not lie within both (0: handed over)",
               size_bytes, range.from_byte, src.size(), range.to_byte, dst.size()));
  }
  return {dst.data() + range.to_byte, src.data() + range.from_byte, size_bytes};
}

Fence DeviceOperations::submit(StreamCore& stream, CopyJob job) {
  if (has_fault(DeviceFault::size_off_by_one)) --job.size_bytes;
  if (!has_fault(DeviceFault::fence_before_submit)) return stream.copy(job);
  const Fence early = stream.record();
  static_cast<void>(stream.copy(job));
  return early;
}

}  // namespace dflash
