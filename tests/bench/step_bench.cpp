// Seconds of one target forward and one drafter step at the shape of the quick start (pack of 1,024 tokens, 2 layers,
// 8 tokens a block), on one thread:
//
//   step_bench [anchors] [repetitions]
//
// Prints the minimum and the median over the repetitions; the first is warm-up. Ratios of two builds count, seconds do
// not.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "common/base/allocator.h"
#include "common/base/stopwatch.h"
#include "common/data/preloaded_dataset.h"
#include "common/train/anchors.h"
#include "drafter_worker/train_step.h"
#include "tests/support/quickstart_documents.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

const std::string kData = (test::source_dir() / "deploy/quickstart-data").string();
constexpr int64_t kPackTokens = 1024;
const std::vector<int64_t> kLayerIds{1, 5};

DrafterConfig quickstart_drafter(const ModelConfig& target) {
  DrafterConfig config;
  config.block_size = 8;
  config.mask_token_id = 2047;
  config.target_layer_ids = kLayerIds;
  config.num_target_layers = target.num_hidden_layers;
  config.vocab_size = target.vocab_size;
  config.hidden_size = target.hidden_size;
  config.intermediate_size = target.intermediate_size;
  config.num_hidden_layers = 2;
  config.num_attention_heads = target.num_attention_heads;
  config.num_key_value_heads = target.num_key_value_heads;
  config.head_dim = target.head_dim;
  config.max_position_embeddings = target.max_position_embeddings;
  config.rms_norm_eps = target.rms_norm_eps;
  config.rope = target.rope;
  config.layer_types.assign(2, LayerType::full_attention);
  return config;
}

void report(const char* what, int repetitions, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const Stopwatch watch;
    work();
    seconds.push_back(static_cast<double>(watch.elapsed_ns()) * 1e-9);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%-16s min %.4f s  median %.4f s\n", what, seconds.front(), seconds[seconds.size() / 2]);
}

at::Tensor tensor_of(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

void run(int64_t anchor_count, int repetitions) {
  at::set_num_threads(1);
  const ModelConfig target_config = read_model_config(kData + "/target");
  ModelWeights weights(kData + "/target");
  const TargetModel target(target_config, weights, at::kFloat, kLayerIds.back() + 1);
  const TempFolder folder;
  DataLedger ledger;
  PreloadedDataset dataset(test::quickstart_documents(folder.path() / "prepared", kPackTokens, ledger), kPackTokens, 7);
  const Pack pack = dataset.pack(3);
  HiddenStateBatch batch{3,
                         pack.document_starts.back(),
                         tensor_of(pack.input_ids),
                         tensor_of(pack.document_ids),
                         tensor_of(pack.position_ids),
                         at::tensor(pack.loss_mask, at::kByte),
                         at::zeros({kPackTokens, 2 * target_config.hidden_size})};
  const auto forward = [&] {
    target.forward_packed(
        {batch.input_ids, batch.position_ids, pack.document_starts}, [&](int64_t layer, const at::Tensor& hidden) {
          if (layer == kLayerIds[0]) batch.captured.narrow(1, 0, target_config.hidden_size).copy_(hidden);
          if (layer == kLayerIds[1])
            batch.captured.narrow(1, target_config.hidden_size, target_config.hidden_size).copy_(hidden);
        });
  };
  report("target forward", repetitions, forward);

  const DrafterConfig config = quickstart_drafter(target_config);
  DrafterParameters parameters(config);
  parameters.initialize(7, 2.0);
  const DrafterModel drafter = DrafterModel::over(config, parameters);
  Optimizer optimizer(parameters.values(), {});
  const TargetEnds ends = load_target_ends(target_config, weights, at::kFloat);
  TrainStep step(drafter, parameters, optimizer, ends, {8, 2047, 4.0});
  const auto anchors =
      sample_anchors(eligible_anchors(batch), anchor_count, CounterRandom(7, RandomPurpose::anchors, 3));
  std::printf("%zu anchors, %zu documents\n", anchors.size(), pack.document_starts.size() - 1);
  report("drafter batch", repetitions, [&] { step.add_batch(batch, anchors, false); });
  report("optimizer", repetitions, [&] {
    (void)step.finish(1e-4);
    step.add_batch(batch, anchors, false);
  });
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  dflash::keep_freed_memory();
  dflash::run(argc > 1 ? std::atoll(argv[1]) : 256, argc > 2 ? std::atoi(argv[2]) : 10);
  return 0;
}
