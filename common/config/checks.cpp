#include "common/config/checks.h"

#include "common/base/format.h"
#include "common/config/key_text.h"
#include "common/config/schema.h"

namespace dflash {
namespace {

void check_required_keys(const ConfigDraft& draft, const std::string& file) {
  for (const SettingKey& key : setting_keys()) {
    if (!key.field->options().GetExtension(required_key) || draft.origin.contains(key.name())) continue;
    throw config_error(file, format("required key '{}' is missing: {}", key.name(), key_comment(key)));
  }
}

/// Where the first of `names` that was set by hand stands. One of them must have been.
const std::string& place_of(const ConfigDraft& draft, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = draft.origin.find(name); found != draft.origin.end()) return found->second;
  }
  throw Error(ErrorKind::internal, format("defaults of the schema exclude each other: {}", *names.begin()));
}

void check_data(const ConfigDraft& draft, const std::string& file) {
  const DataSection& data = draft.config.data();
  if (data.files().empty() && data.prepared().empty() && data.recorded().empty()) {
    const bool given = draft.origin.contains("data.files");
    throw config_error(given ? place_of(draft, {"data.files"}) : file,
                       "'data.files' is empty: name at least one file, or a folder of prepared documents "
                       "(data.prepared) or recorded batches (data.recorded)");
  }
  const int32_t block_size = draft.config.drafter().block_size();
  if (data.pack_tokens() < block_size) {
    throw config_error(place_of(draft, {"data.pack_tokens", "drafter.block_size"}),
                       format("'data.pack_tokens' ({}) must be at least 'drafter.block_size' ({}): a block lies inside "
                              "one pack",
                              data.pack_tokens(), block_size));
  }
}

void check_layer_ids(const ConfigDraft& draft) {
  const DrafterSection& drafter = draft.config.drafter();
  const auto& ids = drafter.target_layer_ids();
  if (ids.empty()) return;
  const std::string& place = place_of(draft, {"drafter.target_layer_ids"});
  if (drafter.num_captured_layers() > 0) {
    throw config_error(place,
                       "'drafter.target_layer_ids' and 'drafter.num_captured_layers' exclude each other: give one");
  }
  for (int i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0)
      throw config_error(place, format("'drafter.target_layer_ids' holds {}: layers count from 0", ids[i]));
    if (i > 0 && ids[i] <= ids[i - 1]) {
      throw config_error(
          place, format("'drafter.target_layer_ids' must ascend, none twice: {} follows {}", ids[i], ids[i - 1]));
    }
  }
}

void check_heads(const ConfigDraft& draft) {
  const DrafterSection& drafter = draft.config.drafter();
  const int32_t heads = drafter.num_attention_heads();
  const int32_t shared = drafter.num_key_value_heads();
  if (heads > 0 && shared > 0 && heads % shared != 0) {
    throw config_error(
        place_of(draft, {"drafter.num_key_value_heads"}),
        format("'drafter.num_key_value_heads' ({}) must divide 'drafter.num_attention_heads' ({})", shared, heads));
  }
  if (drafter.head_dim() % 2 != 0) {
    throw config_error(
        place_of(draft, {"drafter.head_dim"}),
        format("'drafter.head_dim' must be even (rotary embedding turns pairs), got {}", drafter.head_dim()));
  }
}

void check_layer_types(const ConfigDraft& draft) {
  const DrafterSection& drafter = draft.config.drafter();
  const int32_t named = drafter.layer_types_size();
  if (named > 1 && named != drafter.num_layers()) {
    throw config_error(place_of(draft, {"drafter.layer_types"}),
                       format("'drafter.layer_types' names {} layers, but 'drafter.num_layers' is {}: give a word for "
                              "each layer, or one for all",
                              named, drafter.num_layers()));
  }
  if (!any_layer_slides(drafter)) {
    // Beside layer types given by hand it may stand: full and sliding layers are compared with one file.
    if (!draft.origin.contains("drafter.sliding_window") || draft.origin.contains("drafter.layer_types")) return;
    throw config_error(place_of(draft, {"drafter.sliding_window"}),
                       "'drafter.sliding_window' has no effect: no layer slides; set drafter.layer_types");
  }
  if (drafter.sliding_window() < drafter.block_size()) {
    throw config_error(place_of(draft, {"drafter.sliding_window", "drafter.block_size"}),
                       format("'drafter.sliding_window' ({}) must be at least 'drafter.block_size' ({}): a window must "
                              "not cut a block",
                              drafter.sliding_window(), drafter.block_size()));
  }
}

void check_train(const ConfigDraft& draft) {
  if (draft.config.train().steps() > 0 && draft.origin.contains("train.epochs")) {
    throw config_error(
        place_of(draft, {"train.epochs"}),
        "'train.epochs' and 'train.steps' exclude each other: give one (train.steps = 0 lets train.epochs count)");
  }
}

void check_noise(const ConfigDraft& draft) {
  const TrainSection& train = draft.config.train();
  const auto refuse = [&](const char* key, const std::string& why) {
    throw config_error(place_of(draft, {key, "train.noise"}), format("'{}' has no effect: {}", key, why));
  };
  if (train.noise() == TrainSection::none) {
    const char* why = "'train.noise' is none";
    if (train.noise_from() != 0) refuse("train.noise_from", why);
    if (train.noise_to() != 0) refuse("train.noise_to", why);
    if (train.noise_steps() != 0) refuse("train.noise_steps", why);
    return;
  }
  if (train.noise() == TrainSection::constant) {
    const char* why = "'train.noise' is constant, its strength is noise_from";
    if (train.noise_to() != 0) refuse("train.noise_to", why);
    if (train.noise_steps() != 0) refuse("train.noise_steps", why);
  }
  if (train.noise_from() == 0 && train.noise_to() == 0) {
    refuse("train.noise", "set train.noise_from (and noise_to) to a standard deviation");
  }
}

void check_channel(const ConfigDraft& draft) {
  const auto channel = draft.config.pipeline().channel();
  if (channel == PipelineSection::nccl && draft.config.run().device() != RunSection::cuda) {
    throw config_error(place_of(draft, {"pipeline.channel"}),
                       format("'pipeline.channel' = nccl joins workers that compute on GPUs, but 'run.device' is {}: "
                              "use auto, or set run.device = cuda",
                              RunSection::DeviceChoice_Name(draft.config.run().device())));
  }
  if (channel != PipelineSection::pinned_host || draft.config.run().device() != RunSection::cpu) return;
  throw config_error(place_of(draft, {"pipeline.channel"}),
                     "'pipeline.channel' = pinned_host copies between devices and shared memory, but 'run.device' is "
                     "cpu: use auto or shm, or set run.device");
}

}  // namespace

void check_settings(const ConfigDraft& draft, const std::string& file) {
  check_required_keys(draft, file);
  check_data(draft, file);
  check_layer_ids(draft);
  check_heads(draft);
  check_layer_types(draft);
  check_train(draft);
  check_noise(draft);
  check_channel(draft);
}

}  // namespace dflash
