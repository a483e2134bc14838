#include "common/hf/config_fields.h"

#include <cmath>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"

namespace dflash {
namespace {

/// nlohmann keeps what is above int64 as unsigned; such a number is outside of every range here.
bool is_integer_within(const Json& value, int64_t least, int64_t most) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
  }
  const auto number = value.get<int64_t>();
  return least <= number && number <= most;
}

bool is_object_with_content(const ConfigFields& fields, const char* key) {
  if (!fields.has(key)) return false;
  if (!fields.value(key).is_object()) fields.refuse(key, "expected an object or null");
  return !fields.value(key).empty();
}

void refuse_partial_rotation(const ConfigFields& fields) {
  if (fields.has("partial_rotary_factor") && fields.value("partial_rotary_factor") != 1) {
    fields.refuse("partial_rotary_factor", "only 1 is computed (all channels rotate)");
  }
}

/// theta of a rope_scaling or rope_parameters object, nothing when it does not say.
std::optional<double> theta_of_rope_object(const ConfigFields& rope) {
  for (const auto& item : rope.json().items()) {
    if (item.value().is_object()) rope.refuse(item.key(), "a rope of its own for each layer type is not computed");
  }
  for (const char* key : {"rope_type", "type"}) {
    if (!rope.has(key)) continue;
    if (rope.text(key) != "default") {
      rope.refuse(key, format("rope type '{}' is not computed, only 'default'", rope.text(key)));
    }
  }
  refuse_partial_rotation(rope);
  if (!rope.has("rope_theta")) return std::nullopt;
  return rope.positive_number("rope_theta");
}

}  // namespace

ConfigFields::ConfigFields(const Json& json, std::string source) : json_(json), source_(std::move(source)) {
  if (!json.is_object()) throw Error(ErrorKind::input_file, format("{}: expected a JSON object", source_));
}

bool ConfigFields::has(const std::string& key) const {
  const auto place = json_.find(key);
  return place != json_.end() && !place->is_null();
}

int64_t ConfigFields::integer(const std::string& key, int64_t least, int64_t most) const {
  if (!has(key)) refuse(key, "is missing");
  const Json& number = value(key);
  if (!is_integer_within(number, least, most)) {
    refuse(key, format("is {}: expected an integer from {} to {}", number.dump(), least, most));
  }
  return number.get<int64_t>();
}

std::optional<int64_t> ConfigFields::optional_integer(const std::string& key, int64_t least, int64_t most) const {
  if (!has(key)) return std::nullopt;
  return integer(key, least, most);
}

std::vector<int64_t> ConfigFields::integers(const std::string& key, int64_t least, int64_t most) const {
  if (!has(key)) return {};
  if (!value(key).is_array()) return {integer(key, least, most)};
  std::vector<int64_t> numbers;
  for (const Json& number : value(key)) {
    if (!is_integer_within(number, least, most)) {
      refuse(key, format("holds {}: expected integers from {} to {}", number.dump(), least, most));
    }
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

double ConfigFields::positive_number(const std::string& key) const {
  if (!has(key)) refuse(key, "is missing");
  const Json& number = value(key);
  if (!number.is_number() || !std::isfinite(number.get<double>()) || number.get<double>() <= 0) {
    refuse(key, format("is {}: expected a number above 0", number.dump()));
  }
  return number.get<double>();
}

bool ConfigFields::flag(const std::string& key, bool absent) const {
  if (!has(key)) return absent;
  if (!value(key).is_boolean()) refuse(key, format("is {}: expected true or false", value(key).dump()));
  return value(key).get<bool>();
}

std::string ConfigFields::text(const std::string& key) const {
  if (!has(key)) refuse(key, "is missing");
  if (!value(key).is_string()) refuse(key, format("is {}: expected a string", value(key).dump()));
  return value(key).get<std::string>();
}

void ConfigFields::refuse(const std::string& key, const std::string& why) const {
  throw Error(ErrorKind::input_file, format("{}: '{}' {}", source_, key, why));
}

double read_rope_theta(const ConfigFields& fields) {
  constexpr double kDefaultTheta = 10000;
  refuse_partial_rotation(fields);
  const double bare = fields.has("rope_theta") ? fields.positive_number("rope_theta") : kDefaultTheta;
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (!is_object_with_content(fields, key)) continue;
    const ConfigFields rope(fields.value(key), format("{}: {}", fields.source(), key));
    const double theta = theta_of_rope_object(rope).value_or(bare);
    if (fields.has("rope_theta") && theta != bare) {
      log_warn(
          format("{}: rope_theta is {} in {} and {} beside it; the former is used", fields.source(), theta, key, bare));
    }
    return theta;
  }
  return bare;
}

DType read_config_dtype(const ConfigFields& fields) {
  const std::string key = fields.has("dtype") || !fields.has("torch_dtype") ? "dtype" : "torch_dtype";
  const std::string name = fields.text(key);
  if (name == "float32") return DType::f32;
  if (name == "bfloat16") return DType::bf16;
  fields.refuse(key, format("is '{}': only float32 and bfloat16 are computed; convert the weights to bfloat16", name));
}

void refuse_unknown_layers(const ConfigFields& fields, int64_t num_hidden_layers) {
  if (fields.has("hidden_act") && fields.text("hidden_act") != "silu") {
    fields.refuse("hidden_act", format("is '{}': only silu is computed", fields.text("hidden_act")));
  }
  if (fields.has("attention_dropout") && fields.value("attention_dropout") != 0) {
    fields.refuse("attention_dropout", "must be 0");
  }
  if (fields.has("quantization_config")) fields.refuse("quantization_config", "quantised weights are not read");
  if (fields.flag("use_sliding_window", false)) fields.refuse("use_sliding_window", "sliding layers are not computed");
  if (!fields.has("layer_types")) return;
  const Json& types = fields.value("layer_types");
  if (!types.is_array()) fields.refuse("layer_types", "expected a list");
  for (const Json& type : types) {
    if (type != "full_attention") {
      fields.refuse("layer_types", format("holds {}: only full_attention is computed", type.dump()));
    }
  }
  if (!types.empty() && std::cmp_not_equal(types.size(), num_hidden_layers)) {
    fields.refuse("layer_types", format("has {} entries for {} layers", types.size(), num_hidden_layers));
  }
}

}  // namespace dflash
