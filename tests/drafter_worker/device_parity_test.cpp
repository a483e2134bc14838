// Target, drafter and twenty optimizer steps on the GPU against the golden numbers, with the tolerances of the host; in
// a rehearsal on the host, by the way a GPU goes (host_kernels.h).
#include <gtest/gtest.h>

#include <optional>

#include "common/model/host_kernels.h"
#include "common/tensor/torch_device.h"
#include "common/train/lr_schedule.h"
#include "drafter_worker/train_step.h"
#include "tests/support/golden_drafter.h"
#include "tests/support/gpu_device.h"

namespace dflash {
namespace {

/// The device of these tests, and this thread's tensor work on a stream of it.
class Place {
 public:
  Place() : device_(load_torch_device(test::on_gpu() ? 0 : -1)), run_device_(test::gpu_device()) {
    stream_.emplace(run_device_.make_stream("tensors"));
    if (device_.is_cpu()) {
      plain_.emplace();
    } else {
      scope_.emplace(*stream_, device_);
    }
  }
  [[nodiscard]] at::Device device() const { return device_; }

 private:
  const at::Device device_;
  Device run_device_;
  std::optional<Stream> stream_;
  std::optional<PlainOperations> plain_;
  std::optional<OnTorchStream> scope_;
};

TEST(DeviceParity, TheTargetsHiddenStates) {
  DFLASH_NEED_GPU();
  const Place place;
  for (const char* name : {"qwen3-fp32", "qwen3-yarn", "qwen2", "llama3-rope", "llama-untied"}) {
    const std::string folder = std::string("target/") + name;
    const ModelConfig config = read_model_config(test::golden_folder(folder));
    ModelWeights weights(test::golden_folder(folder));
    const TargetModel target(config, weights, at::kFloat, config.num_hidden_layers, place.device());
    const test::Tensors golden = test::golden_tensors(folder, "io.safetensors");
    const at::Tensor ids = golden.at("input_ids")[0];
    const std::array<int32_t, 2> starts{0, static_cast<int32_t>(ids.size(0))};
    const Json tolerance = test::golden_case(folder)["tolerance"];
    const at::Tensor positions =
        golden.contains("position_ids") ? golden.at("position_ids")[0] : at::arange(ids.size(0), at::kLong);
    target.forward_packed({ids, positions, starts}, [&](int64_t layer, const at::Tensor& hidden) {
      const at::Tensor expected = golden.at("hidden.layer" + std::to_string(layer))[0];
      EXPECT_LE(test::relative_rms(hidden.cpu(), expected), tolerance["rel_rms"].get<double>()) << name << ' ' << layer;
      EXPECT_LE(test::excess_error(hidden.cpu(), expected), tolerance["atol"].get<double>()) << name << ' ' << layer;
    });
  }
}

TEST(DeviceParity, TheDraftersLossAndGradients) {
  DFLASH_NEED_GPU();
  const Place place;
  for (const char* name : {"01_basic", "02_packed", "03_mixed_sliding", "04_all_sliding", "05_gqa_head_dim"}) {
    test::GoldenDrafter golden(name);
    const Json tolerance = golden.description["tolerance_rel_to_max"];
    DrafterParameters parameters(golden.config, place.device());
    parameters.load(test::golden_tensors(std::string("drafter/") + name, "model.safetensors"));
    const DrafterModel drafter = DrafterModel::over(golden.config, parameters);
    const BlockBatch blocks =
        make_block_batch(golden.batch, golden.anchor_rows(golden.io.at("anchors"), golden.io.at("anchor_keep")),
                         golden.rules, place.device());
    const auto there = [&](const at::Tensor& host) { return to_device(host, place.device()); };
    const at::Tensor rows = blocks.supervised.flatten().nonzero().squeeze(-1);
    const at::Tensor labels = blocks.labels.flatten().index_select(0, rows);
    const at::Tensor weights = blocks.weights.flatten().index_select(0, rows);
    const at::Tensor embeddings = there(golden.ends.embedding).index_select(0, there(blocks.block_ids.flatten()));
    const at::Tensor hidden = drafter.forward(drafter.context_features(there(golden.batch.captured)),
                                              golden.batch.position_ids, blocks, embeddings);
    const HeadLoss loss =
        head_loss(hidden.index_select(0, there(rows)), there(golden.ends.head), there(labels), there(weights), false);
    (loss.sum / there(weights).sum()).backward();
    EXPECT_LE(test::error_relative_to_max(loss.sum.cpu(), golden.io.at("loss_sum")),
              tolerance["loss_sum"].get<double>());
    for (const auto& [parameter, gradient] : parameters.views_of(parameters.gradients())) {
      EXPECT_LE(test::error_relative_to_max(gradient.cpu(), golden.io.at("grad." + parameter)),
                tolerance["grad"].get<double>())
          << name << ' ' << parameter;
    }
  }
}

TEST(DeviceParity, TwentyOptimizerSteps) {
  DFLASH_NEED_GPU();
  const Place place;
  test::GoldenDrafter golden("10_adamw");
  const Json& settings = golden.description;
  const auto total = settings["steps"].get<int64_t>();
  const LrSchedule schedule(settings["lr"].get<double>(), settings["warmup"].get<double>() / static_cast<double>(total),
                            total);
  DrafterParameters parameters(golden.config, place.device());
  parameters.load(test::golden_tensors("drafter/10_adamw", "model.safetensors"));
  const DrafterModel drafter = DrafterModel::over(golden.config, parameters);
  Optimizer optimizer(parameters.values(), {0, settings["clip"].get<double>()});
  const TargetEnds ends{to_device(golden.ends.embedding, place.device()), to_device(golden.ends.head, place.device())};
  TrainStep step(drafter, parameters, optimizer, ends, golden.rules);
  HiddenStateBatch batch = golden.batch;
  batch.captured = to_device(batch.captured, place.device());
  std::vector<double> losses;
  for (int64_t s = 0; s < total; ++s) {
    step.add_batch(batch, golden.anchor_rows(golden.io.at("anchors_per_step")[s]), s % 4 == 0);
    const StepResult result = step.finish(schedule.at(s));
    losses.push_back(result.loss_sum / result.weight_sum);
  }
  EXPECT_LE(test::error_relative_to_max(at::tensor(losses, at::kDouble), golden.io.at("losses")),
            settings["tolerance_rel_to_max"]["losses"].get<double>());
  EXPECT_EQ(optimizer.steps_done(), total);
}

TEST(DeviceParity, ALossThatIsNotFiniteSkipsTheStep) {
  DFLASH_NEED_GPU();
  const Place place;
  test::GoldenDrafter golden("01_basic");
  DrafterParameters parameters(golden.config, place.device());
  parameters.load(test::golden_tensors("drafter/01_basic", "model.safetensors"));
  const DrafterModel drafter = DrafterModel::over(golden.config, parameters);
  Optimizer optimizer(parameters.values(), {0, 1});
  const TargetEnds ends{to_device(golden.ends.embedding, place.device()), to_device(golden.ends.head, place.device())};
  TrainStep step(drafter, parameters, optimizer, ends, golden.rules);
  HiddenStateBatch batch = golden.batch;
  batch.captured = to_device(at::full_like(batch.captured, std::numeric_limits<double>::quiet_NaN()), place.device());
  const at::Tensor before = parameters.values().cpu().clone();
  const std::vector<int64_t> anchors = golden.anchor_rows(golden.io.at("anchors"), golden.io.at("anchor_keep"));
  const auto finite = [&] {
    step.add_batch(batch, anchors, true);
    (void)parameters.gradients().cpu();  // waits for the GPU
    return step.last_batch_is_finite();
  };
  EXPECT_FALSE(finite());
  EXPECT_TRUE(step.finish(1e-3).skipped);
  step.add_batch(batch, anchors, true);
  EXPECT_TRUE(step.finish(1e-3).skipped) << "and when nobody asks";
  EXPECT_TRUE(parameters.values().cpu().equal(before));
  batch.captured = to_device(golden.batch.captured, place.device());
  EXPECT_TRUE(finite());
  EXPECT_FALSE(step.finish(1e-3).skipped);
}

}  // namespace
}  // namespace dflash
