// RawDrafter: a drafter's folder as it lies there, ours or another's, in the z-lab or the speculators format. Where
// read_drafter_config refuses, this shows what there is; values that are absent or malformed read as nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/hf/drafter_config.h"
#include "common/hf/weight_headers.h"

namespace dflash {

struct RawDrafter {
  std::filesystem::path path;
  Json config;  // an object
  bool speculators = false;
  WeightHeaders weights;
  std::set<std::string> file_names;

  /// Where sizes, rope and layer types stand: transformer_layer_config, or the top level in the z-lab format.
  [[nodiscard]] const Json& body() const;
  /// dflash_config; null when there is none.
  [[nodiscard]] const Json& nested() const;
};

/// Error{input_file} when there is no config.json with a JSON object in it; nothing else stops the reading.
[[nodiscard]] RawDrafter read_raw_drafter(const std::filesystem::path& path);

/// A size of the body: at least 1.
[[nodiscard]] std::optional<int64_t> size_of(const RawDrafter& drafter, const std::string& key);
/// Sizes, attention_bias and how many layers are captured, as far as tensor shapes need them; nothing when one of them
/// is nothing. Unreadable layer ids count as one captured layer.
[[nodiscard]] std::optional<DrafterConfig> shape_config(const RawDrafter& drafter);
[[nodiscard]] std::optional<int64_t> block_size_of(const RawDrafter& drafter);
[[nodiscard]] std::optional<int64_t> mask_token_of(const RawDrafter& drafter);
/// 0-based ids of the layers whose output is captured, in either format; as written, right or wrong.
[[nodiscard]] std::optional<std::vector<int64_t>> layer_ids_of(const RawDrafter& drafter);
/// All full when the config does not say.
[[nodiscard]] std::optional<std::vector<LayerType>> layer_types_of(const RawDrafter& drafter);
/// The dtype that config.json names.
[[nodiscard]] std::optional<DType> dtype_of(const RawDrafter& drafter);
/// Whether the drafter has a vocabulary smaller than the target's.
[[nodiscard]] bool has_reduced_vocabulary(const RawDrafter& drafter);

}  // namespace dflash
