// The pack kernel: pack_hidden_states_from_captured for memory of a GPU. Knows nothing of CUDA's headers; programs go
// through marked_states.h.
#pragma once

#include "common/data/pack_math.h"

struct CUstream_st;  // cudaStream_t points to it

namespace dflash {

/// Enqueues it, and before it that `not_finite` becomes 0. What CUDA refuses is the error of the kernel that calls this
/// (on_stream.h). In a build without CUDA there is no stream to call it for.
void enqueue_pack(const PackJob& job, CUstream_st* stream);

}  // namespace dflash
