#include "common/hf/export_rules/raw_values.h"

#include <cmath>

#include "common/base/one_line.h"
#include "common/hf/config_fields.h"

namespace dflash {

namespace {

const Json kNothing;

}  // namespace

const Json& raw_member(const Json& object, const std::string& key) {
  if (!object.is_object()) return kNothing;
  const auto place = object.find(key);
  return place == object.end() ? kNothing : *place;
}

const Json& raw_element(const Json& array, size_t index) {
  return array.is_array() && index < array.size() ? array[index] : kNothing;
}

std::optional<int64_t> raw_integer(const Json& value) {
  if (!is_integer_within(value, -kLargestSize, kLargestSize)) return std::nullopt;
  return value.get<int64_t>();
}

std::optional<std::vector<int64_t>> raw_integers(const Json& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Json& item : value) {
    const auto number = raw_integer(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<bool> raw_flag(const Json& value) {
  if (!value.is_boolean()) return std::nullopt;
  return value.get<bool>();
}

std::optional<double> raw_positive(const Json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0) return std::nullopt;
  return value.get<double>();
}

std::string raw_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

std::string shown(const Json& value) {
  return json_line(value, 80);
}

}  // namespace dflash
