// What a target is computed in where nobody says.
#pragma once

#include "common/base/dtype.h"

namespace dflash {

/// As its weights are stored; fp16 as bf16, which does not overflow where fp16 does, and costs as much.
[[nodiscard]] constexpr DType default_compute_dtype(DType stored) {
  return stored == DType::f16 ? DType::bf16 : stored;
}

}  // namespace dflash
