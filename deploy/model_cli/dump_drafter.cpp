#include "deploy/model_cli/dump_drafter.h"

#include <ATen/ATen.h>

#include "common/model/drafter_model.h"
#include "common/model/head_loss.h"
#include "common/tensor/tensor_file.h"
#include "common/train/anchors.h"
#include "common/train/block_metrics.h"
#include "deploy/model_cli/drafter_input.h"
#include "deploy/model_cli/drafter_tensors.h"

namespace dflash {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

/// Results of the blocks in the order of the slots, under the names of the golden files.
class DrafterDump {
 public:
  DrafterDump(const DrafterInput& input, const BlockBatch& blocks) : input_(input), blocks_(blocks) {}

  void add_inputs(const at::Tensor& context) {
    const std::vector<int64_t> eligible_rows = eligible_anchors(input_.row);
    at::Tensor eligible = at::zeros({input_.row.input_ids.size(0)}, at::kByte);
    for (const int64_t row : eligible_rows) eligible[row] = 1;
    tensors_["eligible"] = eligible;
    tensors_["fc_out"] = context.narrow(0, 0, eligible.size(0)).detach();
    tensors_["block_ids"] = by_slot(blocks_.block_ids);
    tensors_["block_position_ids"] = by_slot(blocks_.position_ids);
    tensors_["labels"] = by_slot(blocks_.labels);
    tensors_["labels"].masked_fill_(input_.unused.unsqueeze(1), -100);
    tensors_["supervised"] = by_slot(blocks_.supervised.to(at::kByte));
    tensors_["weights"] = by_slot(blocks_.weights);
  }

  void add_forward(const at::Tensor& hidden, const at::Tensor& head) {
    const at::Tensor by_block = hidden.detach().view({blocks_.block_count, blocks_.block_ids.size(1), -1});
    tensors_["block_hidden"] = by_slot(by_block);
    tensors_["logits"] = by_slot(at::linear(by_block, head));
  }

  void add_loss(const HeadLoss& loss, const at::Tensor& weight_sum, const at::Tensor& mean_loss) {
    const at::Tensor losses = at::zeros_like(blocks_.weights).masked_scatter_(blocks_.supervised, loss.losses);
    BlockMetrics metrics(blocks_.block_ids.size(1));
    metrics.add(blocks_, loss.correct);
    tensors_["loss"] = by_slot(losses);
    tensors_["loss_sum"] = loss.sum.detach();
    tensors_["weight_sum"] = weight_sum;
    tensors_["mean_loss"] = mean_loss.detach();
    tensors_["correct_per_slot"] = metrics.correct;
    tensors_["total_per_slot"] = metrics.total;
    tensors_["accept_len_sum"] = metrics.accept_length_sum;
    tensors_["accept_len_count"] = metrics.accept_length_count;
  }

  void add_gradients(const DrafterParameters& parameters) {
    for (const auto& [name, gradient] : parameters.views_of(parameters.gradients()))
      tensors_["grad." + name] = gradient;
  }
  [[nodiscard]] const Tensors& tensors() const { return tensors_; }

 private:
  [[nodiscard]] at::Tensor by_slot(const at::Tensor& by_block) const {
    return by_block.index_select(0, input_.block_of_slot).contiguous();
  }
  const DrafterInput& input_;
  const BlockBatch& blocks_;
  Tensors tensors_;
};

}  // namespace

void dump_drafter(const DumpDrafterSettings& settings) {
  const DrafterConfig config = read_drafter_config(settings.drafter);
  const DrafterInput input = read_drafter_input(settings.input, config);
  const FrozenEnds ends = read_frozen_ends(settings.frozen, config);
  DrafterParameters parameters(config);
  parameters.load(load_drafter_tensors(settings.drafter, config, at::kFloat));
  const DrafterModel drafter = DrafterModel::over(config, parameters);

  const double gamma = settings.decay_gamma.value_or(default_decay_gamma(config.block_size));
  const BlockBatch blocks = make_block_batch(input.extended, input.anchors, block_rules(config, gamma));
  const at::Tensor rows = blocks.supervised.flatten().nonzero().squeeze(-1);
  const at::Tensor labels = blocks.labels.flatten().index_select(0, rows);
  const at::Tensor weights = blocks.weights.flatten().index_select(0, rows);
  const at::Tensor context = drafter.context_features(input.extended.captured);
  const at::Tensor embeddings = ends.embedding.index_select(0, blocks.block_ids.flatten());
  const at::Tensor hidden = drafter.forward(context, input.extended.position_ids, blocks, embeddings);
  const HeadLoss loss = head_loss(hidden.index_select(0, rows), ends.head, labels, weights, /*want_correct=*/true);
  const at::Tensor weight_sum = weights.sum(at::kDouble).to(at::kFloat);
  const bool any_weight = weight_sum.item<float>() > 0;
  const at::Tensor mean_loss = any_weight ? loss.sum / weight_sum : at::zeros({});
  if (any_weight) mean_loss.backward();

  DrafterDump dump(input, blocks);
  dump.add_inputs(context);
  dump.add_forward(hidden, ends.head);
  dump.add_loss(loss, weight_sum, mean_loss);
  dump.add_gradients(parameters);
  write_tensor_file(settings.output, dump.tensors());
}

}  // namespace dflash
