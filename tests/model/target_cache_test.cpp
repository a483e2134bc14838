// Decoding with a key/value cache gives the states of one forward over the whole text.

#include <gtest/gtest.h>

#include "common/model/target_model.h"
#include "tests/support/golden.h"

namespace dflash {
namespace {

class TargetCache : public ::testing::TestWithParam<const char*> {
 protected:
  TargetCache() : weights_(test::golden_folder(std::string("target/") + GetParam())) {
    const ModelConfig config = read_model_config(weights_.folder());
    target_ = std::make_unique<TargetModel>(config, weights_, at::kFloat, config.num_hidden_layers);
    const test::Tensors golden = test::golden_tensors(std::string("target/") + GetParam(), "io.safetensors");
    ids_ = golden.at("input_ids")[0];
    expected_ = golden.at("hidden.layer3")[0];
  }
  at::Tensor forward(KvCache& cache, int64_t first, int64_t rows) {
    const CachedRows sequence{&cache, rows};
    return target_->forward_cached(ids_.narrow(0, first, rows), {&sequence, 1}, [](int64_t, const at::Tensor&) {});
  }
  void expect_rows(const at::Tensor& hidden, int64_t first) {
    EXPECT_LE(test::relative_rms(hidden, expected_.narrow(0, first, hidden.size(0))), 1e-5) << "from row " << first;
  }

  ModelWeights weights_;
  std::unique_ptr<TargetModel> target_;
  at::Tensor ids_, expected_;
};

TEST_P(TargetCache, PiecesOfAnySizeAreTheWhole) {
  KvCache cache = target_->make_cache(28);
  int64_t first = 0;
  for (const int64_t rows : {11, 1, 5, 1, 1, 7}) {
    expect_rows(forward(cache, first, rows), first);
    first += rows;
  }
  EXPECT_EQ(cache.length(), 26);
}

TEST_P(TargetCache, CroppedRowsAreForgotten) {
  KvCache cache = target_->make_cache(28);
  (void)forward(cache, 0, 10);
  (void)forward(cache, 20, 6);  // tokens that are then rejected
  cache.crop(10);
  expect_rows(forward(cache, 10, 6), 10);
}

TEST_P(TargetCache, SequencesOfOneForwardDoNotSeeEachOther) {
  KvCache longer = target_->make_cache(28), shorter = target_->make_cache(28);
  (void)forward(longer, 0, 10);
  const std::array<CachedRows, 2> both{{{&longer, 6}, {&shorter, 4}}};
  const at::Tensor ids = at::cat({ids_.narrow(0, 10, 6), ids_.narrow(0, 0, 4)});
  const at::Tensor hidden = target_->forward_cached(ids, both, [](int64_t, const at::Tensor&) {});
  expect_rows(hidden.narrow(0, 0, 6), 10);
  expect_rows(hidden.narrow(0, 6, 4), 0);
  EXPECT_EQ(longer.length(), 16);
  EXPECT_EQ(shorter.length(), 4);
}

TEST_P(TargetCache, RefusesMoreThanItHolds) {
  KvCache cache = target_->make_cache(4);
  EXPECT_THROW((void)forward(cache, 0, 5), c10::Error);
}

// qwen2-window and mistral-window: windows shorter than the text.
INSTANTIATE_TEST_SUITE_P(Cases, TargetCache, ::testing::Values("qwen3-fp32", "qwen2-window", "mistral-window"));

}  // namespace
}  // namespace dflash
