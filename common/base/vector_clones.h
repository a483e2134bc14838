// DFLASH_VECTOR_CLONES before a function compiles it for AVX2 beside the base instruction set; the processor chooses.
#pragma once

// clang's checkers and the sanitizers do not know function clones; without them the base version is compiled alone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DFLASH_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define DFLASH_VECTOR_CLONES
#endif
