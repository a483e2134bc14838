// Rows of hidden states as bytes: copied and looked at in one pass, and the sum with noise. The loops of
// captured_states.cpp, vectorised.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/dtype.h"

namespace dflash {

/// Copies rows of fp32 or bf16 numbers and notices what is not finite.
class StateRows {
 public:
  /// `streamed`: writes pass the caches by, where the addresses allow it.
  StateRows(DType dtype, bool streamed);

  void copy(const std::byte* from, size_t size_bytes, std::byte* to);
  void look(const std::byte* from, size_t size_bytes);
  /// After the last row: everything is written where other processes see it. True when all numbers were finite.
  [[nodiscard]] bool finish();

 private:
  DType dtype_;
  bool streamed_;
  bool wide_;  // the processor has AVX2
  bool finite_ = true;
};

/// to[i] = from[i] + strength * numbers[i] in fp32, rounded once to nearest even. `from` may be `to`.
void add_scaled_f32(const std::byte* from, const float* numbers, float strength, int64_t count, std::byte* to);
void add_scaled_bf16(const std::byte* from, const float* numbers, float strength, int64_t count, std::byte* to);

}  // namespace dflash
