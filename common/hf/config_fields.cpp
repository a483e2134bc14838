#include "common/hf/config_fields.h"

#include <array>
#include <cmath>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr std::array<std::pair<DType, const char*>, 3> kDtypeNames{
    {{DType::f32, "float32"}, {DType::bf16, "bfloat16"}, {DType::f16, "float16"}}};

}  // namespace

bool is_integer_within(const Json& value, int64_t least, int64_t most) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
  }
  const auto number = value.get<int64_t>();
  return least <= number && number <= most;
}

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

std::optional<DType> dtype_from_config_name(std::string_view name) {
  for (const auto& [dtype, known] : kDtypeNames) {
    if (name == known) return dtype;
  }
  return std::nullopt;
}

DType read_config_dtype(const ConfigFields& fields) {
  const std::string key = fields.has("dtype") || !fields.has("torch_dtype") ? "dtype" : "torch_dtype";
  const std::string name = fields.text(key);
  if (const auto dtype = dtype_from_config_name(name)) return *dtype;
  fields.refuse(key, format("is '{}': only float32, bfloat16 and float16 are read", name));
}

std::string config_dtype_name(DType dtype) {
  for (const auto& [known, name] : kDtypeNames) {
    if (dtype == known) return name;
  }
  throw Error(ErrorKind::internal, format("config.json has no name for {}", dtype_code(dtype)));
}

void refuse_unknown_layers(const ConfigFields& fields) {
  if (fields.has("hidden_act") && fields.text("hidden_act") != "silu") {
    fields.refuse("hidden_act", format("is '{}': only silu is computed", fields.text("hidden_act")));
  }
  if (fields.has("attention_dropout") && fields.value("attention_dropout") != 0) {
    fields.refuse("attention_dropout", "must be 0");
  }
  if (fields.has("quantization_config")) fields.refuse("quantization_config", "quantised weights are not read");
}

}  // namespace dflash
