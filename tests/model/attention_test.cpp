// Windowed attention against slow obvious code: one row at a time, over the rows it may see.

#include "common/model/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace dflash {
namespace {

constexpr int64_t kHeads = 4, kKvHeads = 2, kWidth = 6;

constexpr double kSoftmaxError = 1e-6;  // a cache's softmax is in fp32

struct Rows {
  explicit Rows(int64_t count) {
    at::manual_seed(3);
    const auto options = at::TensorOptions().dtype(at::kDouble);
    q = at::randn({count, kHeads, kWidth}, options);
    k = at::randn({count, kKvHeads, kWidth}, options);
    v = at::randn({count, kKvHeads, kWidth}, options);
  }
  /// Row i over the rows [first, end).
  [[nodiscard]] at::Tensor slow_row(int64_t i, int64_t first, int64_t end) const {
    std::vector<at::Tensor> heads;
    for (int64_t head = 0; head < kHeads; ++head) {
      const int64_t shared = head / (kHeads / kKvHeads);
      const at::Tensor scores = at::mv(k.slice(0, first, end).select(1, shared), q[i][head]) / std::sqrt(kWidth);
      heads.push_back(at::mv(v.slice(0, first, end).select(1, shared).t(), at::softmax(scores, 0)));
    }
    return at::cat(heads);
  }
  [[nodiscard]] KvCache::Layer cache() const { return {k.transpose(0, 1), v.transpose(0, 1)}; }
  at::Tensor q, k, v;
};

double error(const at::Tensor& ours, const at::Tensor& expected) {
  return (ours - expected).abs().max().item<double>();
}

TEST(DocumentAttention, AWindowEndsAtTheRowAndAtTheDocument) {
  const Rows rows(700);
  const std::array<int32_t, 3> starts{0, 90, 690};  // the second one is longer than a stretch of rows
  for (const int64_t window : {int64_t{1}, int64_t{7}, int64_t{300}, int64_t{5000}}) {
    const at::Tensor ours = document_attention(rows.q, rows.k, rows.v, starts, window);
    for (const int64_t i : {0, 6, 7, 89, 90, 95, 96, 97, 345, 346, 389, 390, 391, 689}) {
      const int64_t start = i < 90 ? 0 : 90;
      EXPECT_LE(error(ours[i], rows.slow_row(i, std::max(start, i - window + 1), i + 1)), 1e-12)
          << "row " << i << " window " << window;
    }
    EXPECT_EQ(ours.narrow(0, 690, 10).abs().max().item<double>(), 0);
  }
}

TEST(CachedAttention, NewRowsSeeTheirWindowOfTheCache) {
  const Rows rows(40);
  for (const int64_t fresh : {1, 5, 12, 40}) {
    for (const int64_t window : {int64_t{0}, int64_t{1}, int64_t{5}, int64_t{38}, int64_t{100}}) {
      const int64_t before = 40 - fresh, width = window > 0 ? window : 1000;
      const at::Tensor ours = cached_attention(rows.q.narrow(0, before, fresh), rows.cache(), {true, window});
      for (int64_t i = 0; i < fresh; ++i) {
        const at::Tensor expected =
            rows.slow_row(before + i, std::max<int64_t>(0, before + i - width + 1), before + i + 1);
        EXPECT_LE(error(ours[i], expected), kSoftmaxError) << fresh << " rows, window " << window << ", row " << i;
      }
    }
  }
}

TEST(CachedAttention, WithoutCausalityAWindowCutsBothWays) {
  const Rows rows(40);
  for (const int64_t window : {int64_t{0}, int64_t{3}, int64_t{8}, int64_t{100}}) {
    const int64_t width = window > 0 ? window : 1000;
    const at::Tensor ours = cached_attention(rows.q.narrow(0, 32, 8), rows.cache(), {false, window});
    for (int64_t i = 0; i < 8; ++i) {
      const int64_t row = 32 + i, first = std::max<int64_t>(0, row - width + 1),
                    end = std::min<int64_t>(40, row + width);
      EXPECT_LE(error(ours[i], rows.slow_row(row, first, end)), kSoftmaxError) << "window " << window << ", row " << i;
    }
  }
}

}  // namespace
}  // namespace dflash
