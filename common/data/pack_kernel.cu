#include "common/data/pack_kernel.h"

namespace dflash {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostRows = 65535;  // of a grid

/// A row of the grid takes a token's row, then the one `gridDim.y` further on.
template <typename Word>
__global__ void pack_rows(PackJob job, bool whole) {
  const uint32_t piece = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = piece < pieces_of_row<Word>(job);
  bool finite = true;
  for (int64_t token = blockIdx.y; inside && token < job.tokens; token += gridDim.y) {
    finite = pack_piece<Word>(job, whole, token, piece) && finite;
  }
  if (__syncthreads_or(finite ? 0 : 1) != 0 && threadIdx.x == 0) atomicOr(job.not_finite, 1U);
}

template <typename Word>
void enqueue_rows(const PackJob& job, cudaStream_t stream) {
  const unsigned columns = (pieces_of_row<Word>(job) + kThreads - 1) / kThreads;
  const unsigned rows = job.tokens < kMostRows ? static_cast<unsigned>(job.tokens) : kMostRows;
  pack_rows<Word><<<dim3(columns, rows), kThreads, 0, stream>>>(job, has_whole_pieces<Word>(job));
}

}  // namespace

void enqueue_pack(const PackJob& job, CUstream_st* stream) {
  if (cudaMemsetAsync(job.not_finite, 0, sizeof(uint32_t), stream) != cudaSuccess) return;
  if (job.bf16) {
    enqueue_rows<uint16_t>(job, stream);
  } else {
    enqueue_rows<uint32_t>(job, stream);
  }
}

}  // namespace dflash
