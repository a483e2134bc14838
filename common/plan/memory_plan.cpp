#include "common/plan/memory_plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/batch_slot.h"
#include "common/data/marked_states.h"
#include "common/data/prepared/prepared_writer.h"
#include "common/hf/model_weights.h"
#include "common/hf/tensor_shapes.h"
#include "common/plan/large_product.h"

namespace dflash {
namespace {

constexpr int64_t kFloatBytes = 4;
constexpr const char* kEmbeddingName = "model.embed_tokens.weight";
constexpr const char* kHeadName = "lm_head.weight";
constexpr const char* kTargetKey = "target.model";
constexpr const char* kPackKey = "data.pack_tokens";
constexpr const char* kDrafterKey = "drafter.num_layers";

/// The N of "model.layers.N.what"; -1 for other names.
int64_t layer_of(std::string_view name) {
  constexpr std::string_view kPrefix = "model.layers.";
  if (!name.starts_with(kPrefix)) return -1;
  int64_t layer = -1;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), layer);
  return layer;
}

/// The embedding and the layers up to the deepest captured one: the forward stops behind it.
int64_t target_weight_bytes(ModelWeights& weights, const RunPlan& plan) {
  const int64_t deepest = plan.layout.captured_layer_ids.back();
  int64_t elements = weights.tensor(kEmbeddingName, {plan.target.vocab_size, plan.target.hidden_size}).element_count();
  for (const std::string& name : weights.names()) {
    const int64_t layer = layer_of(name);
    if (layer >= 0 && layer <= deepest) elements += weights.tensor(name).element_count();
  }
  return large_product({elements, static_cast<int64_t>(dtype_bytes(plan.compute_dtype))});
}

/// One set of buffers is filled while the other one is sent.
int64_t capture_bytes(const RunConfig& config, const RunPlan& plan) {
  return large_product({config.pipeline().async_postprocess() ? 2 : 1, plan.layout.pack_tokens,
                        plan.layout.captured_width(), static_cast<int64_t>(dtype_bytes(plan.compute_dtype))});
}

/// What is alive at once in the widest place of a layer: the residual stream and either the MLP's or the attention's
/// tensors.
int64_t target_activation_bytes(const RunPlan& plan) {
  const ModelConfig& target = plan.target;
  const int64_t query = target.num_attention_heads * target.head_dim;
  const int64_t width = 3 * target.hidden_size + std::max(3 * target.intermediate_size, 6 * query);
  return large_product({plan.layout.pack_tokens, width, static_cast<int64_t>(dtype_bytes(plan.compute_dtype))});
}

/// Ids (4 bytes) and mask (1 byte) of every token. In JSON "0," and "1," take 4 bytes at least, and a list that grew
/// may hold room for twice its size. A prepared folder is mapped: the system may drop its pages whenever it needs room.
MemoryPart documents(const RunConfig& config) {
  int64_t file_bytes = 0;
  for (const std::string& file : config.data().files()) {
    if (is_prepared_folder(file)) continue;
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error) throw Error(ErrorKind::input_file, format("{}: {}", file, error.message()));
    file_bytes += static_cast<int64_t>(std::min<uintmax_t>(size, kHuge));
  }
  return {"documents, at most", "data.files", large_product({file_bytes / 4, 2, 5}), false};
}

int64_t parameter_count(const DrafterConfig& config) {
  int64_t count = 0;
  for (const TensorShape& tensor : drafter_tensor_shapes(config)) {
    int64_t elements = 1;
    for (const int64_t extent : tensor.shape) elements = large_product({elements, extent});
    count = std::min(kHuge, count + elements);
  }
  return count;
}

/// Blocks of one pack: anchors are rows of it.
int64_t block_rows(const RunConfig& config, const RunPlan& plan) {
  return std::min<int64_t>(config.train().num_anchors(), plan.layout.pack_tokens) * plan.drafter.block_size;
}

/// What autograd keeps of every block row in a layer: inputs of norms, products and the MLP, without the attention's
/// weights.
int64_t block_activation_bytes(const RunConfig& config, const RunPlan& plan) {
  const DrafterConfig& drafter = plan.drafter;
  const int64_t query = drafter.num_attention_heads * drafter.head_dim;
  const int64_t key = drafter.num_key_value_heads * drafter.head_dim;
  const int64_t width = 4 * drafter.hidden_size + 3 * query + 3 * key + 4 * drafter.intermediate_size;
  return large_product({drafter.num_hidden_layers, block_rows(config, plan), width, kFloatBytes});
}

/// For documents that fill a pack: a block's call covers half of it on average, in sliding layers at most two windows
/// (common/model/block_mask).
int64_t attention_weight_bytes(const RunConfig& config, const RunPlan& plan) {
  const DrafterConfig& drafter = plan.drafter;
  const int64_t half = plan.layout.pack_tokens / 2;
  int64_t context = 0;  // over all layers
  for (int64_t layer = 0; layer < drafter.num_hidden_layers; ++layer) {
    const int64_t window = layer_window(drafter, layer);
    context += (window > 0 ? std::min(2 * window, half) : half) + drafter.block_size;
  }
  return large_product({context, drafter.num_attention_heads, block_rows(config, plan), kFloatBytes});
}

/// The captured states in fp32, and the context features with their gradient.
int64_t context_bytes(const RunPlan& plan) {
  return large_product(
      {plan.layout.pack_tokens, plan.layout.captured_width() + 4 * plan.layout.hidden_size, kFloatBytes});
}

/// One chunk of the head's loss (common/model/head_loss): logits, their softmax and its gradient.
int64_t logits_bytes(const RunPlan& plan) {
  constexpr int64_t kChunkLogits = int64_t{1} << 22;
  return 3 * kFloatBytes * std::max(kChunkLogits, plan.target.vocab_size);
}

/// Copies of batches on the drafter's device (common/data/batch_slot.h).
int64_t arriving_bytes(const RunConfig& config, const RunPlan& plan) {
  const bool copies = config.run().device() != RunSection::cpu;
  const bool assembles = plan.layout.split_layers || config.train().noise() != TrainSection::none;
  return large_product(
      {static_cast<int64_t>(loader_buffer_count(copies, assembles)), static_cast<int64_t>(plan.layout.slot_bytes)});
}

RoleMemory drafter_memory(const RunConfig& config, const RunPlan& plan, const ModelWeights& weights) {
  const bool tied = plan.target.tie_word_embeddings || !weights.contains(kHeadName);
  const int64_t copies = plan.drafters > 1 ? 5 : 4;  // values, gradients, two moments; and the sum over drafters
  RoleMemory memory{
      "drafter",
      plan.drafters,
      {{"parameters with gradients and moments", kDrafterKey,
        large_product({parameter_count(plan.drafter), copies, kFloatBytes}), true},
       {"embedding and head of the target", kTargetKey,
        large_product({tied ? 1 : 2, plan.target.vocab_size, plan.target.hidden_size, kFloatBytes}), true},
       {"blocks", "train.num_anchors", block_activation_bytes(config, plan), false},
       {"attention weights, at most", "train.num_anchors", attention_weight_bytes(config, plan), false},
       {"context", kPackKey, context_bytes(plan), false},
       {"logits", kTargetKey, logits_bytes(plan), false}}};
  if (const int64_t bytes = arriving_bytes(config, plan); bytes > 0) {
    memory.parts.push_back({"batches on the device", kPackKey, bytes, true});
  }
  return memory;
}

/// Where batches lie ready for their slots on a device with memory of its own (target_worker/slot_packer.h).
void add_packed_states(const RunConfig& config, const RunPlan& plan, RoleMemory& target) {
  if (config.run().device() == RunSection::cpu) return;
  const auto bytes = static_cast<int64_t>(marked_states_bytes(plan.layout));
  target.parts.push_back({"packed states", kPackKey, bytes, true});
}

/// With run.device = cuda a worker computes in its GPU's memory; the documents stay on the host.
void place_on_gpu(RoleMemory& role) {
  for (MemoryPart& part : role.parts) part.on_gpu = part.key != "data.files";
}

/// Slots of shared memory stand once on a node. With mpi and nccl the sender has slots of its own: one that is under
/// way, one that is being written.
RoleMemory channel_memory(const RunConfig& config, const RunPlan& plan) {
  constexpr const char* kKey = "pipeline.queue_bytes";
  const auto bytes_of = [&plan](int64_t slots) {
    return large_product({slots, static_cast<int64_t>(plan.layout.slot_bytes)});
  };
  RoleMemory memory{"channels", plan.links(), {{"slots of a link", kKey, bytes_of(plan.slots_per_link), true}}};
  const auto channel = config.pipeline().channel();
  const bool both_ends = channel == PipelineSection::mpi || channel == PipelineSection::nccl;
  if (both_ends && plan.targets > 0) {
    memory.parts.push_back({"slots at its sender", kKey, bytes_of(std::min<int64_t>(2, plan.slots_per_link)), true});
  }
  return memory;
}

/// Step 0, the newest two and the one being written; fewer when the run has fewer.
int64_t most_checkpoints(const RunConfig& config) {
  constexpr int64_t kMost = 4;
  const int64_t every = config.checkpoint().every_steps(), steps = config.train().steps();
  if (every == 0) return 2;
  return steps == 0 ? kMost : std::min(kMost, 1 + (steps - 1) / every + 1);
}

}  // namespace

int64_t RoleMemory::bytes() const {
  int64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.bytes;
  return sum;
}

MemoryPlan make_memory_plan(const RunConfig& config, const RunPlan& plan) {
  ModelWeights weights(config.target().model());
  MemoryPlan memory;
  memory.target = {"target",
                   plan.targets,
                   {{"weights", kTargetKey, target_weight_bytes(weights, plan), true},
                    {"captured layers", kPackKey, capture_bytes(config, plan), true},
                    {"activations", kPackKey, target_activation_bytes(plan), false}}};
  if (plan.targets > 0) memory.target.parts.push_back(documents(config));
  add_packed_states(config, plan, memory.target);
  memory.drafter = drafter_memory(config, plan, weights);
  if (config.run().device() == RunSection::cuda) {
    place_on_gpu(memory.target);
    place_on_gpu(memory.drafter);
  }
  memory.coordinator = {"coordinator", 1, {}};
  if (plan.targets > 0) memory.coordinator.parts.push_back(documents(config));
  memory.channels = channel_memory(config, plan);
  memory.checkpoint_bytes = drafter_checkpoint_bytes(plan.drafter);
  memory.checkpoints = most_checkpoints(config);
  return memory;
}

int64_t drafter_checkpoint_bytes(const DrafterConfig& config) {
  std::map<std::string, TensorView> weights, moments;
  for (const TensorShape& tensor : drafter_tensor_shapes(config)) {
    weights[tensor.name] = {DType::f32, tensor.shape, {}};
    moments["first_moment." + tensor.name] = moments["second_moment." + tensor.name] = weights[tensor.name];
  }
  const auto config_bytes = static_cast<int64_t>((drafter_config_json(config).dump(1) + "\n").size());
  return safetensors_header_bytes(weights) + safetensors_header_bytes(moments) + config_bytes +
         large_product({parameter_count(config), 3, kFloatBytes});
}

}  // namespace dflash
