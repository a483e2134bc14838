// How positions turn into angles: the rope keys of config.json, old and new spellings.
//
// Facts: dflash-semantics 1.3 and "Config keys that changed" of golden/target. The frequencies are computed in
// model/rope_frequencies.
#pragma once

#include <optional>
#include <string>

#include "common/hf/config_fields.h"

namespace dflash {

enum class RopeType : uint8_t { plain, linear, llama3, yarn };

struct RopeConfig {
  RopeType type = RopeType::plain;
  double theta = 10000;
  double factor = 1;                             // linear, llama3, yarn
  int64_t original_max_position_embeddings = 0;  // llama3, yarn
  double low_freq_factor = 0;                    // llama3
  double high_freq_factor = 0;                   // llama3
  double beta_fast = 32;                         // yarn, and all below
  double beta_slow = 1;
  std::optional<double> attention_factor = std::nullopt;  // given by hand; else it follows from factor and mscale
  double mscale = 0;                                      // 0: not given
  double mscale_all_dim = 0;
  bool truncate = true;

  bool operator==(const RopeConfig&) const = default;
};

/// A rope_scaling object wins over rope_parameters, both over a bare rope_theta; theta is 10000 when nothing says.
/// original_max_position_embeddings at the top level wins over the object's; missing in both, it is the config's
/// max_position_embeddings. Error{input_file} for types that are not computed (dynamic, longrope, mrope, ...), a rope
/// for each layer type, and partial rotation.
[[nodiscard]] RopeConfig read_rope(const ConfigFields& fields, int64_t max_position_embeddings);

/// The value of `rope_scaling`: null for a plain rope; the base stands beside it, in `rope_theta`.
[[nodiscard]] Json rope_scaling_json(const RopeConfig& rope);

/// For a person: "theta 1000000", "yarn x4 over 32768 positions, theta 1000000".
[[nodiscard]] std::string describe_rope(const RopeConfig& rope);

}  // namespace dflash
