// Loops over rows of fp32 numbers on the host, compiled for AVX2 beside the base instruction set (the processor
// chooses). Plain pointers, no allocation, one thread; callers split the rows.
#pragma once

#include <cstdint>

namespace dflash {

/// y = x * r * weight with r = 1 / sqrt(mean(x^2) + eps) of each row, kept in `scale`. All [rows, width].
void rms_norm_rows(const float* x, const float* weight, float* y, float* scale, int64_t rows, int64_t width, float eps);

/// Gradient of rms_norm_rows: dx is written, weight_gradient [width] is added to.
void rms_norm_backward_rows(const float* x, const float* weight, const float* scale, const float* dy, float* dx,
                            float* weight_gradient, int64_t rows, int64_t width);

/// Rotates the two halves of every head: (a, b) -> (a cos - b sin, b cos + a sin). x, y: [rows, heads, 2 half]; cos,
/// sin: the first `half` of [rows, 2 half]. `direction` -1 turns back, which is the gradient.
void rotate_rows(const float* x, const float* cos, const float* sin, float* y, int64_t rows, int64_t heads,
                 int64_t half, float direction);

}  // namespace dflash
