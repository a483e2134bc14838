// No host tensor gets in among those of a device. LibTorch's meta tensors stand for a device that is not there: they
// have shapes and a place but no values, and an operation on tensors of two places is refused.
#include <ATen/ExpandUtils.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include "common/model/head_loss.h"
#include "common/tensor/torch_device.h"
#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

// LibTorch's C++ half lacks these of the meta operations; here they look at the places alone.
at::Tensor index_select_meta(const at::Tensor& from, int64_t dim, const at::Tensor& index) {
  TORCH_CHECK(from.device() == index.device(), "index_select: tensors of two places");
  std::vector<int64_t> shape = from.sizes().vec();
  shape[static_cast<size_t>(dim)] = index.numel();
  return at::empty(shape, from.options());
}
at::Tensor& masked_fill(at::Tensor& self, const at::Tensor& mask, const at::Scalar&) {
  TORCH_CHECK(self.device() == mask.device(), "masked_fill_: tensors of two places");
  return self;
}
at::Tensor where_meta(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other) {
  for (const at::Tensor& value : {self, other}) {
    TORCH_CHECK(value.device() == condition.device() || value.dim() == 0, "where: tensors of two places");
  }
  return at::empty(at::infer_size(at::infer_size(condition.sizes(), self.sizes()), other.sizes()), self.options());
}
at::Tensor& where_out(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  TORCH_CHECK(out.device() == condition.device(), "where: tensors of two places");
  out.resize_(where_meta(condition, self, other).sizes());
  return out;
}
at::Tensor& abs_out(const at::Tensor& self, at::Tensor& out) {
  TORCH_CHECK(out.device() == self.device(), "abs: tensors of two places");
  out.resize_(self.sizes());
  return out;
}

TORCH_LIBRARY_IMPL(aten, Meta, library) {
  library.impl("index_select", index_select_meta);
  library.impl("where.self", where_meta);
  library.impl("where.self_out", where_out);
  library.impl("abs.out", abs_out);
  library.impl("masked_fill_.Scalar", masked_fill);
}

const at::Device kThere = at::kMeta;

class TargetPlacement : public ::testing::TestWithParam<const char*> {};

TEST_P(TargetPlacement, EverythingIsComputedThere) {
  const auto folder = test::golden_folder(std::string("target/") + GetParam());
  const ModelConfig config = read_model_config(folder);
  ModelWeights weights(folder);
  const TargetModel target(config, weights, at::kFloat, config.num_hidden_layers, kThere);
  constexpr int32_t kRows = 600;  // more than a stretch of a window
  const std::array<int32_t, 3> starts{0, 590, kRows - 2};
  const PackedInput input{at::zeros({kRows}, at::kInt), at::arange(kRows, at::kInt), starts};
  int64_t visited = 0;
  target.forward_packed(input, [&](int64_t, const at::Tensor& hidden) {
    ++visited;
    EXPECT_EQ(hidden.device(), kThere);
    EXPECT_EQ(hidden.sizes(), (std::vector<int64_t>{kRows, config.hidden_size}));
  });
  EXPECT_EQ(visited, config.num_hidden_layers);
}

INSTANTIATE_TEST_SUITE_P(Cases, TargetPlacement,
                         ::testing::Values("qwen3-fp32", "qwen3-yarn", "qwen2", "mistral-window"),
                         [](const auto& test_case) {
                           std::string name = test_case.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class DrafterPlacement : public ::testing::TestWithParam<const char*> {};

TEST_P(DrafterPlacement, EverythingIsComputedThere) {
  test::GoldenDrafter golden(GetParam());
  DrafterParameters parameters(golden.config, kThere);
  const DrafterModel drafter = DrafterModel::over(golden.config, parameters);
  const BlockBatch blocks = make_block_batch(
      golden.batch, golden.anchor_rows(golden.io.at("anchors"), golden.io.at("anchor_keep")), golden.rules, kThere);
  const at::Tensor embeddings =
      golden.ends.embedding.to(kThere).index_select(0, to_device(blocks.block_ids.flatten(), kThere));
  const at::Tensor context = drafter.context_features(golden.batch.captured.to(kThere));
  const at::Tensor hidden = drafter.forward(context, golden.batch.position_ids, blocks, embeddings);
  EXPECT_EQ(hidden.device(), kThere);
  const at::Tensor labels = at::zeros({hidden.size(0)}, at::TensorOptions(kThere).dtype(at::kLong));
  const HeadLoss loss = head_loss(hidden, golden.ends.head.to(kThere), labels, labels.to(at::kFloat), true);
  EXPECT_EQ(loss.losses.device(), kThere);
  loss.sum.backward();
}

INSTANTIATE_TEST_SUITE_P(Cases, DrafterPlacement,
                         ::testing::Values("01_basic", "02_packed", "03_mixed_sliding", "14_attention_bias"));

}  // namespace
}  // namespace dflash
