// golden/drafter/11_ranks_accumulation: two drafters of two micro-steps each, one of them without any anchor. Ranks: a
// coordinator, a target, two drafters.

#include <gtest/gtest.h>

#include "common/base/format.h"
#include "drafter_worker/gradient_sync.h"
#include "drafter_worker/train_step.h"
#include "tests/support/golden_drafter.h"
#include "tests/support/test_worker.h"

namespace dflash {
namespace {

const std::string kCase = "drafter/11_ranks_accumulation";
const std::vector<Role> kCast = {Role::coordinator, Role::target, Role::drafter, Role::drafter};

/// The drafter, and what its ranks train on.
struct RanksGolden {
  RanksGolden()
      : description(test::golden_case(kCase)),
        config(read_drafter_config(test::golden_folder(kCase))),
        parameters(config),
        io(test::golden_tensors(kCase, "io.safetensors")) {
    parameters.load(test::golden_tensors(kCase, "model.safetensors"));
    const test::Tensors frozen = test::golden_tensors(kCase, "frozen.safetensors");
    ends = {frozen.at("model.embed_tokens.weight"), frozen.at("lm_head.weight")};
  }

  void add(TrainStep& step, int rank, int micro) const {
    const auto field = [&](const char* name) { return io.at(format("rank{}.micro{}.{}", rank, micro, name)); };
    HiddenStateBatch batch;
    batch.input_ids = field("input_ids").to(at::kInt);
    batch.document_ids = field("document_ids").to(at::kInt);
    batch.position_ids = field("position_ids").to(at::kInt);
    batch.loss_mask = field("loss_mask").to(at::kByte);
    batch.captured = field("hidden_states");
    step.add_batch(batch, test::GoldenDrafter::anchor_rows(field("anchors")), true);
    EXPECT_TRUE(step.last_batch_is_finite());
  }
  void expect(const char* quantity, double ours) const {
    EXPECT_LE(test::error_relative_to_max(at::tensor(ours, at::kDouble), io.at(quantity)),
              description["tolerance_rel_to_max"].value(quantity, 1e-5))
        << quantity;
  }
  /// The flat gradients, still to be divided.
  void expect_gradients(const at::Tensor& sum, double weight_sum) const {
    const double tolerance = description["tolerance_rel_to_max"]["grad"].get<double>();
    for (const auto& [name, view] : parameters.views_of(sum)) {
      EXPECT_LE(test::error_relative_to_max(view / weight_sum, io.at("grad." + name)), tolerance) << name;
    }
  }

  Json description;
  DrafterConfig config;
  DrafterParameters parameters;
  test::Tensors io;
  TargetEnds ends;
};

constexpr double kLearningRate = 1e-3;

class RanksAccumulation : public testing::Test {
 protected:
  RanksGolden golden_;
  DrafterModel drafter_ = DrafterModel::over(golden_.config, golden_.parameters);
  Optimizer optimizer_{golden_.parameters.values(), {0, 1}};
  TrainStep step_{
      drafter_,
      golden_.parameters,
      optimizer_,
      golden_.ends,
      {golden_.config.block_size, golden_.config.mask_token_id, golden_.description["gamma"].get<double>()}};
};

TEST_F(RanksAccumulation, TwoDraftersOfTwoMicroSteps) {
  TestWorker worker(30, kCast);
  if (!worker.is_drafter()) return;
  GradientSync sync(worker.context());
  const int rank = worker.context().roles.own_index();
  for (const int micro : {0, 1}) golden_.add(step_, rank, micro);
  double weight_sum = 0;
  const StepResult result = step_.finish(kLearningRate, [&](const at::Tensor& gradients, double own_weight) {
    weight_sum = sync.sum(gradients, own_weight);
    golden_.expect_gradients(gradients, weight_sum);
    return weight_sum;
  });
  golden_.expect("weight_sum", weight_sum);
  golden_.expect("grad_norm", result.grad_norm);
  const Json own = golden_.description["per_rank_num_den_count"][static_cast<size_t>(rank)];
  EXPECT_NEAR(result.loss_sum, own[0].get<double>(), 1e-5 * own[0].get<double>());
  EXPECT_NEAR(result.weight_sum, own[1].get<double>(), 1e-5 * own[1].get<double>());
  EXPECT_EQ(result.supervised_positions, own[2].get<int64_t>());

  // Every drafter has taken the very same update: doubling one's own parameters equals their sum.
  at::Tensor sum = golden_.parameters.values().detach().clone();
  (void)sync.sum(sum, 0);
  EXPECT_TRUE(sum.equal(golden_.parameters.values() * 2));
}

TEST_F(RanksAccumulation, OneDrafterOfFourMicroStepsIsTheSame) {
  TestWorker worker(30, kCast);
  if (!worker.is_drafter()) return;
  for (const int rank : {0, 1}) {
    for (const int micro : {0, 1}) golden_.add(step_, rank, micro);
  }
  const StepResult result = step_.finish(kLearningRate, [&](const at::Tensor& gradients, double weight_sum) {
    golden_.expect_gradients(gradients, weight_sum);
    return weight_sum;
  });
  golden_.expect("loss_sum", result.loss_sum);
  golden_.expect("weight_sum", result.weight_sum);
  golden_.expect("mean_loss", result.loss_sum / result.weight_sum);
  golden_.expect("grad_norm", result.grad_norm);
}

TEST_F(RanksAccumulation, ADrafterWithoutAnyWorkTakesTheUpdateOfTheOthers) {
  TestWorker worker(30, kCast);
  if (!worker.is_drafter()) return;
  GradientSync sync(worker.context());
  const bool works = worker.context().roles.own_index() == 0;
  golden_.add(step_, works ? 0 : 1, works ? 0 : 1);  // rank 1's second batch has no anchor
  const at::Tensor before = golden_.parameters.values().detach().clone();
  const StepResult result =
      step_.finish(kLearningRate, [&](const at::Tensor& g, double weight) { return sync.sum(g, weight); });
  EXPECT_EQ(result.weight_sum > 0, works);
  EXPECT_FALSE(golden_.parameters.values().equal(before));
  at::Tensor sum = golden_.parameters.values().detach().clone();
  (void)sync.sum(sum, 0);
  EXPECT_TRUE(sum.equal(golden_.parameters.values() * 2));
}

TEST(GradientSync, TheLeadDecidesForAll) {
  TestWorker worker(30, kCast);
  if (!worker.is_drafter()) return;
  GradientSync sync(worker.context());
  EXPECT_EQ(sync.leads(), worker.context().roles.own_index() == 0);
  for (const bool save : {false, true}) {
    for (const bool stop : {false, true}) {
      const Directive agreed = sync.agree(sync.leads() ? Directive{save, stop} : Directive{!save, !stop});
      EXPECT_EQ(agreed.save, save);
      EXPECT_EQ(agreed.stop, stop);
    }
  }
}

}  // namespace
}  // namespace dflash
