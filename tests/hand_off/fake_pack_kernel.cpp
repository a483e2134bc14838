// The pack kernel where the CUDA runtime is simulated (tests/device/fake_cuda.h): the same arithmetic, done by the host
// in the order of the stream. Linked into a test it stands for pack_kernel.cu.
#include <cstdlib>

#include "common/data/pack_kernel.h"
#include "tests/device/host_work.h"

namespace dflash {
namespace {

template <typename Word>
void pack_rows(const PackJob& job) {
  const bool whole = has_whole_pieces<Word>(job);
  for (int64_t token = 0; token < job.tokens; ++token) {
    for (uint32_t piece = 0; piece < pieces_of_row<Word>(job); ++piece) {
      if (!pack_piece<Word>(job, whole, token, piece)) *job.not_finite = 1;
    }
  }
}

}  // namespace

void enqueue_pack(const PackJob& job, CUstream_st* stream) {
  enqueue_host_work(stream, [job] {
    *job.not_finite = 0;
    job.bf16 ? pack_rows<uint16_t>(job) : pack_rows<uint32_t>(job);
  });
}

}  // namespace dflash
