// The entry that libFuzzer calls; DFLASH_FUZZ_TARGET is the function of fuzz_target.h.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dflash::fuzz::DFLASH_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
