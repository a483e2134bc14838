// DFLASH_HOST_DEVICE before a function: compiled for the host and, in .cu files, for the GPU too. What stands in such a
// header sees no library, is C++17, and gives the same bits on both: every file that includes it is compiled without
// fused multiply-adds (-ffp-contract=off, -fmad=false).
#pragma once

#ifdef __CUDACC__
#define DFLASH_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define DFLASH_HOST_DEVICE inline __attribute__((always_inline))
#endif
