#include "common/model/row_kernels.h"

#include <array>
#include <cmath>

#include "common/base/vector_clones.h"

namespace dflash {
namespace {

// Sums run in this many lanes and are joined in a fixed order: a vector register's worth, and the same bits on
// processors of a kind.
constexpr int64_t kLanes = 16;

inline __attribute__((always_inline)) float join_lanes(const std::array<float, kLanes>& lanes) {
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

/// Sum over a row of a[i] * b[i].
inline __attribute__((always_inline)) float dot(const float* a, const float* b, int64_t width) {
  std::array<float, kLanes> lanes{};
  int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[static_cast<size_t>(lane)] += a[i + lane] * b[i + lane];
  }
  float rest = 0;
  for (; i < width; ++i) rest += a[i] * b[i];
  return join_lanes(lanes) + rest;
}

}  // namespace

DFLASH_VECTOR_CLONES
void rms_norm_rows(const float* x, const float* weight, float* y, float* scale, int64_t rows, int64_t width,
                   float eps) {
  for (int64_t row = 0; row < rows; ++row, x += width, y += width) {
    const float r = 1.0F / std::sqrt(dot(x, x, width) / static_cast<float>(width) + eps);
    scale[row] = r;
    for (int64_t i = 0; i < width; ++i) y[i] = x[i] * r * weight[i];
  }
}

DFLASH_VECTOR_CLONES
void rms_norm_backward_rows(const float* x, const float* weight, const float* scale, const float* dy, float* dx,
                            float* weight_gradient, int64_t rows, int64_t width) {
  for (int64_t row = 0; row < rows; ++row, x += width, dy += width, dx += width) {
    const float r = scale[row];
    for (int64_t i = 0; i < width; ++i) {
      weight_gradient[i] += dy[i] * x[i] * r;
      dx[i] = dy[i] * weight[i];
    }
    const float pull = dot(dx, x, width) * r * r * r / static_cast<float>(width);
    for (int64_t i = 0; i < width; ++i) dx[i] = dx[i] * r - x[i] * pull;
  }
}

DFLASH_VECTOR_CLONES
void rotate_rows(const float* x, const float* cos, const float* sin, float* y, int64_t rows, int64_t heads,
                 int64_t half, float direction) {
  for (int64_t row = 0; row < rows; ++row, cos += 2 * half, sin += 2 * half) {
    for (int64_t head = 0; head < heads; ++head, x += 2 * half, y += 2 * half) {
      for (int64_t i = 0; i < half; ++i) {
        const float a = x[i], b = x[half + i], s = direction * sin[i];
        y[i] = a * cos[i] - b * s;
        y[half + i] = b * cos[i] + a * s;
      }
    }
  }
}

}  // namespace dflash
