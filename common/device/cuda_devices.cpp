#include "common/device/cuda_devices.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

CudaChoice choose_cuda_device(int local_rank, int local_rank_count, int device_count) {
  if (local_rank < 0 || local_rank >= local_rank_count) {
    throw Error(ErrorKind::internal,
                format("rank {} of {} on this node is to take a GPU", local_rank, local_rank_count));
  }
  if (device_count <= 0) {
    throw Error(ErrorKind::config,
                format("{} ranks on this node and no GPU: set run.device to cpu, or start them where GPUs are",
                       local_rank_count));
  }
  const int ordinal = local_rank % device_count;
  const int sharing = (local_rank_count - ordinal + device_count - 1) / device_count;  // ranks with this ordinal
  std::string text =
      format("GPU {} of {}, rank {} of {} on this node", ordinal, device_count, local_rank, local_rank_count);
  if (sharing > 1) text += format("; {} ranks share it", sharing);
  return {.ordinal = ordinal, .text = std::move(text)};
}

}  // namespace dflash
