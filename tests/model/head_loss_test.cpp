// The fused head and loss against LibTorch's own cross-entropy and autograd over all logits at once.

#include "common/model/head_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace dflash {
namespace {

struct Example {
  explicit Example(int64_t rows, int64_t vocabulary) {
    at::manual_seed(3);
    hidden = at::randn({rows, 8});
    hidden.set_requires_grad(true);
    head = at::randn({vocabulary, 8});
    labels = at::randint(vocabulary, {rows}, at::kLong);
    weights = at::rand({rows});
  }
  at::Tensor hidden, head, labels, weights;
};

void expect_equals_autograd(Example example) {
  const HeadLoss ours = head_loss(example.hidden, example.head, example.labels, example.weights, true);
  (ours.sum * 0.5).backward();  // an upstream factor must reach the gradient
  const at::Tensor gradient = example.hidden.grad().clone();

  const at::Tensor twin = example.hidden.detach().clone().set_requires_grad(true);
  const at::Tensor logits = at::linear(twin, example.head);
  const at::Tensor losses = at::cross_entropy_loss(logits, example.labels, {}, at::Reduction::None);
  ((losses * example.weights).sum() * 0.5).backward();

  EXPECT_LE(test::error_relative_to_max(ours.losses, losses.detach()), 1e-6);
  EXPECT_LE(test::error_relative_to_max(ours.sum, (losses * example.weights).sum().detach()), 1e-6);
  EXPECT_LE(test::error_relative_to_max(gradient, twin.grad()), 1e-5);
  EXPECT_TRUE(ours.correct.equal(logits.argmax(-1).eq(example.labels)));
}

TEST(HeadLoss, OneChunk) {
  expect_equals_autograd(Example(37, 50));
}

TEST(HeadLoss, SeveralChunks) {
  expect_equals_autograd(Example(90, 200000));
}  // 20 rows of logits fit in a chunk

TEST(HeadLoss, CorrectFlagsOnlyWhenAskedFor) {
  const Example example(5, 11);
  EXPECT_FALSE(head_loss(example.hidden, example.head, example.labels, example.weights, false).correct.defined());
}

}  // namespace
}  // namespace dflash
