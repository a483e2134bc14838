// ConfigFields: the keys of one config.json, read with their rules; every complaint names the file and the key.
//
// What targets and drafters have in common (sizes, rope, token ids, dtype) is read by read_decoder_fields into either's
// struct. A key that is null counts as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/dtype.h"
#include "common/base/json.h"

namespace dflash {

class ConfigFields {
 public:
  /// Error{input_file} when `json` is no object. `json` must outlive this.
  ConfigFields(const Json& json, std::string source);

  [[nodiscard]] bool has(const std::string& key) const;
  /// The value of a key that has() is true for.
  [[nodiscard]] const Json& value(const std::string& key) const { return json_.at(key); }
  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  /// An integer in [least, most]; Error when it is missing, no integer, or outside.
  [[nodiscard]] int64_t integer(const std::string& key, int64_t least, int64_t most) const;
  [[nodiscard]] std::optional<int64_t> optional_integer(const std::string& key, int64_t least, int64_t most) const;
  /// One integer, a list of them, or nothing.
  [[nodiscard]] std::vector<int64_t> integers(const std::string& key, int64_t least, int64_t most) const;
  /// A finite number above 0.
  [[nodiscard]] double positive_number(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key, bool absent) const;
  [[nodiscard]] std::string text(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

 private:
  const Json& json_;
  std::string source_;
};

constexpr int64_t kLargestSize = int64_t{1} << 31;
constexpr int64_t kMostLayers = 10000;

/// Base of the rotary frequencies: a rope_scaling object wins over rope_parameters, both over a bare rope_theta; 10000
/// when none says. Error for any rope type but "default" and for partial rotation.
[[nodiscard]] double read_rope_theta(const ConfigFields& fields);

/// `dtype`, else `torch_dtype`: float32 or bfloat16, others refused by name.
[[nodiscard]] DType read_config_dtype(const ConfigFields& fields);

/// Error for what changes a Qwen3 layer in a way that is not computed: activation, dropout, windows, quantisation.
void refuse_unknown_layers(const ConfigFields& fields, int64_t num_hidden_layers);

/// Fills the fields that ModelConfig and DrafterConfig share, and checks that they fit each other.
template <typename Config>
void read_decoder_fields(const ConfigFields& fields, Config& config) {
  config.vocab_size = fields.integer("vocab_size", 1, kLargestSize);
  config.hidden_size = fields.integer("hidden_size", 1, kLargestSize);
  config.intermediate_size = fields.integer("intermediate_size", 1, kLargestSize);
  config.num_hidden_layers = fields.integer("num_hidden_layers", 1, kMostLayers);
  config.num_attention_heads = fields.integer("num_attention_heads", 1, kLargestSize);
  config.num_key_value_heads =
      fields.optional_integer("num_key_value_heads", 1, kLargestSize).value_or(config.num_attention_heads);
  config.head_dim = fields.optional_integer("head_dim", 2, kLargestSize).value_or(128);  // the default of qwen3
  config.max_position_embeddings = fields.integer("max_position_embeddings", 1, kLargestSize);
  config.rms_norm_eps = fields.positive_number("rms_norm_eps");
  config.rope_theta = read_rope_theta(fields);
  config.attention_bias = fields.flag("attention_bias", false);
  config.dtype = read_config_dtype(fields);
  config.bos_token_id = fields.optional_integer("bos_token_id", 0, config.vocab_size - 1);
  config.eos_token_ids = fields.integers("eos_token_id", 0, config.vocab_size - 1);
  config.pad_token_id = fields.optional_integer("pad_token_id", 0, config.vocab_size - 1);
  if (config.num_attention_heads % config.num_key_value_heads != 0) {
    fields.refuse("num_key_value_heads", "does not divide num_attention_heads");
  }
  if (config.head_dim % 2 != 0) fields.refuse("head_dim", "is odd: rotation needs pairs");
  refuse_unknown_layers(fields, config.num_hidden_layers);
}

}  // namespace dflash
