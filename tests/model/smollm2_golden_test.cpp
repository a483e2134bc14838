// A real target: SmolLM2-135M-Instruct against numbers of an independent implementation.
//
// Needs two things that are no part of the project: the numbers in shared/golden/target/smollm2 beside the checkout,
// and the model, as shared/tools/smollm2 makes it: in the folder DFLASH_SMOLLM2, else in build/smollm2. Skipped without
// them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/model/target_model.h"
#include "tests/support/golden.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

fs::path golden_numbers() {
  return test::source_dir().parent_path() / "shared" / "golden" / "target" / "smollm2" / "io.safetensors";
}

fs::path model_folder() {
  const char* given = std::getenv("DFLASH_SMOLLM2");
  return given != nullptr ? fs::path(given) : test::source_dir() / "build" / "smollm2" / "smollm2-135m-instruct";
}

class SmolLm2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(golden_numbers())) GTEST_SKIP() << "no reference numbers at " << golden_numbers();
    if (!fs::exists(model_folder())) GTEST_SKIP() << "no model at " << model_folder();
    golden_ = read_tensor_file(golden_numbers());
    const ModelConfig config = read_model_config(model_folder());
    ModelWeights weights(model_folder());
    target_ = std::make_unique<TargetModel>(config, weights, at::kFloat, config.num_hidden_layers);
  }
  [[nodiscard]] const at::Tensor& golden(int prompt, const std::string& name) const {
    return golden_.at("p" + std::to_string(prompt) + "." + name);
  }
  void check_forward(int prompt);
  void check_greedy(int prompt);

  test::Tensors golden_;
  std::unique_ptr<TargetModel> target_;
};

void SmolLm2::check_forward(int prompt) {
  const at::Tensor ids = golden(prompt, "input_ids").to(at::kLong);
  const std::array<int32_t, 2> starts{0, static_cast<int32_t>(ids.size(0))};
  at::Tensor last;
  int compared = 0;
  target_->forward_packed({ids, at::arange(ids.size(0)), starts}, [&](int64_t layer, const at::Tensor& hidden) {
    last = hidden;
    const auto expected = golden_.find("p" + std::to_string(prompt) + ".hidden." + std::to_string(layer));
    if (expected == golden_.end()) return;
    EXPECT_LE(test::excess_error(hidden, expected->second), 1e-3) << "layer " << layer;
    ++compared;
  });
  EXPECT_EQ(compared, 6);
  const at::Tensor logits = target_->logits(last);
  const at::Tensor top = golden(prompt, "top5_ids").to(at::kLong);
  EXPECT_LE((logits[-1] - golden(prompt, "last_logits")).abs().max().item<double>(), 2e-3);
  EXPECT_LE((logits.gather(1, top) - golden(prompt, "top5_logits")).abs().max().item<double>(), 2e-3);
  EXPECT_LE((logits.logsumexp(1) - golden(prompt, "logsumexp")).abs().max().item<double>(), 1e-3);
}

/// The continuation with a key/value cache, wherever the choice is not nearly a tie.
void SmolLm2::check_greedy(int prompt) {
  constexpr double kNearTie = 0.02;
  const at::Tensor expected = golden(prompt, "greedy_ids").to(at::kLong), margin = golden(prompt, "greedy_margin");
  at::Tensor ids = golden(prompt, "input_ids").to(at::kLong);
  KvCache cache = target_->make_cache(ids.size(0) + expected.size(0));
  for (int64_t i = 0; i < expected.size(0); ++i) {
    const CachedRows rows{&cache, ids.size(0)};
    const at::Tensor hidden = target_->forward_cached(ids, {&rows, 1}, [](int64_t, const at::Tensor&) {});
    const at::Tensor best = target_->logits(hidden.narrow(0, hidden.size(0) - 1, 1)).argmax(-1);
    if (margin[i].item<double>() > kNearTie) {
      ASSERT_EQ(best.item<int64_t>(), expected[i].item<int64_t>()) << "token " << i;
    }
    ids = expected.narrow(0, i, 1);
  }
}

TEST_F(SmolLm2, HiddenStatesAndLogits) {
  for (int prompt = 0; prompt < 3; ++prompt) check_forward(prompt);
}

TEST_F(SmolLm2, GreedyContinuations) {
  for (int prompt = 0; prompt < 3; ++prompt) check_greedy(prompt);
}

}  // namespace
}  // namespace dflash
