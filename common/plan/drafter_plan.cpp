#include "common/plan/drafter_plan.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

int64_t given_or(int32_t given, int64_t otherwise) {
  return given > 0 ? given : otherwise;
}

std::vector<int64_t> spread_layer_ids(const DrafterSection& settings, int64_t target_layers) {
  const int64_t count = given_or(settings.num_captured_layers(), settings.num_layers());
  const int64_t most = most_captured_layers(target_layers);
  if (count <= most) return default_layer_ids(target_layers, count);
  const char* key = settings.num_captured_layers() > 0 ? "drafter.num_captured_layers" : "drafter.num_layers";
  const std::string advice =
      most > 0 ? format("the largest number that works is {}: set drafter.num_captured_layers = {}", most, most)
               : "no number works: name the layers by drafter.target_layer_ids";
  throw Error(ErrorKind::config,
              format("{} = {} asks for {} captured layers, but a target of {} layers is too small to "
                     "spread them evenly; {}",
                     key, count, count, target_layers, advice));
}

std::vector<int64_t> given_layer_ids(const DrafterSection& settings, int64_t target_layers) {
  const std::vector<int64_t> ids(settings.target_layer_ids().begin(), settings.target_layer_ids().end());
  for (const int64_t id : ids) {
    if (id == target_layers - 1) {
      throw Error(ErrorKind::config,
                  format("drafter.target_layer_ids holds {}, the target's last layer: inference engines "
                         "disagree whether its final norm is applied; use 0 to {}",
                         id, target_layers - 2));
    }
    if (id < 0 || id >= target_layers) {
      throw Error(ErrorKind::config,
                  format("drafter.target_layer_ids holds {}, but the target has {} layers; use 0 to {}", id,
                         target_layers, target_layers - 2));
    }
  }
  return ids;
}

std::vector<LayerType> plan_layer_types(const DrafterSection& settings) {
  std::vector<LayerType> types(static_cast<size_t>(settings.num_layers()), LayerType::full_attention);
  for (int layer = 0; layer < settings.num_layers() && settings.layer_types_size() > 0; ++layer) {
    const auto choice = settings.layer_types_size() == 1 ? settings.layer_types(0) : settings.layer_types(layer);
    if (choice == DrafterSection::sliding) types[static_cast<size_t>(layer)] = LayerType::sliding_attention;
  }
  return types;
}

void check_mask_token(const DrafterConfig& drafter) {
  const int64_t id = drafter.mask_token_id;
  if (id >= drafter.vocab_size) {
    throw Error(ErrorKind::config,
                format("drafter.mask_token_id = {} lies outside of the target's vocabulary of {} tokens; "
                       "use 0 to {}",
                       id, drafter.vocab_size, drafter.vocab_size - 1));
  }
  if (std::ranges::find(drafter.eos_token_ids, id) != drafter.eos_token_ids.end()) {
    throw Error(ErrorKind::config,
                format("drafter.mask_token_id = {} is an end-of-text token of the target; choose a token "
                       "that no text uses",
                       id));
  }
}

void check_heads(const DrafterConfig& drafter) {
  if (drafter.num_attention_heads % drafter.num_key_value_heads != 0) {
    throw Error(
        ErrorKind::config,
        format("drafter.num_attention_heads = {} cannot share drafter.num_key_value_heads = {} evenly; set both",
               drafter.num_attention_heads, drafter.num_key_value_heads));
  }
  if (drafter.head_dim % 2 != 0) {
    throw Error(
        ErrorKind::config,
        format("drafter.head_dim = {} is odd, but rotary embedding turns pairs; set an even one", drafter.head_dim));
  }
}

}  // namespace

DrafterConfig plan_drafter(const DrafterSection& settings, const ModelConfig& target) {
  DrafterConfig drafter;
  drafter.block_size = settings.block_size();
  drafter.mask_token_id = settings.mask_token_id();
  drafter.target_layer_ids = settings.target_layer_ids().empty() ? spread_layer_ids(settings, target.num_hidden_layers)
                                                                 : given_layer_ids(settings, target.num_hidden_layers);
  drafter.num_target_layers = target.num_hidden_layers;
  drafter.vocab_size = target.vocab_size;
  drafter.hidden_size = target.hidden_size;
  drafter.intermediate_size = given_or(settings.intermediate_size(), target.intermediate_size);
  drafter.num_hidden_layers = settings.num_layers();
  drafter.num_attention_heads = given_or(settings.num_attention_heads(), target.num_attention_heads);
  drafter.num_key_value_heads = given_or(settings.num_key_value_heads(), target.num_key_value_heads);
  drafter.head_dim = given_or(settings.head_dim(), target.head_dim);
  drafter.max_position_embeddings = target.max_position_embeddings;
  drafter.rms_norm_eps = target.rms_norm_eps;
  drafter.rope = target.rope;
  drafter.attention_bias = settings.attention_bias();
  drafter.layer_types = plan_layer_types(settings);
  drafter.sliding_window = any_slides(drafter.layer_types) ? settings.sliding_window() : 0;
  drafter.bos_token_id = target.bos_token_id;
  drafter.eos_token_ids = target.eos_token_ids;
  drafter.pad_token_id = target.pad_token_id;
  check_mask_token(drafter);
  check_heads(drafter);
  return drafter;
}

}  // namespace dflash
