// The --dtype of a command.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

namespace dflash {

/// "float32" or "bfloat16": what the command line lets through.
[[nodiscard]] inline at::ScalarType named_type(const std::string& dtype) {
  return dtype == "bfloat16" ? at::kBFloat16 : at::kFloat;
}

}  // namespace dflash
