#include "common/text/tokenizer/component_fields.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr size_t kShownBytes = 80;

}  // namespace

ComponentFields::ComponentFields(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {
  if (!json.is_object()) {
    throw Error(ErrorKind::input_file,
                format("{}: expected an object, found {}", where_, json_line(json, kShownBytes)));
  }
}

bool ComponentFields::has(const std::string& key) const {
  const auto place = json_->find(key);
  return place != json_->end() && !place->is_null();
}

const Json& ComponentFields::value(const std::string& key) const {
  if (!has(key)) refuse(key, "is missing");
  return json_->at(key);
}

std::string ComponentFields::text(const std::string& key) const {
  const Json& found = value(key);
  if (!found.is_string()) refuse(key, format("is {}: expected a string", json_line(found, kShownBytes)));
  return found.get<std::string>();
}

std::string ComponentFields::text(const std::string& key, const std::string& absent) const {
  return has(key) ? text(key) : absent;
}

bool ComponentFields::flag(const std::string& key) const {
  const Json& found = value(key);
  if (!found.is_boolean()) refuse(key, format("is {}: expected true or false", json_line(found, kShownBytes)));
  return found.get<bool>();
}

bool ComponentFields::flag(const std::string& key, bool absent) const {
  return has(key) ? flag(key) : absent;
}

uint32_t ComponentFields::count(const std::string& key) const {
  const Json& found = value(key);
  const auto number = json_count(found);
  if (!number)
    refuse(key, format("is {}: expected an integer from 0 to {}", json_line(found, kShownBytes), UINT32_MAX));
  return *number;
}

char32_t ComponentFields::character(const std::string& key) const {
  const std::string found = text(key);
  if (count_characters(found) != 1) refuse(key, "must be one character");
  return decode_utf8(found.data()).code_point;
}

std::vector<ComponentFields> ComponentFields::list(const std::string& key) const {
  const Json& found = value(key);
  if (!found.is_array()) refuse(key, format("is {}: expected a list", json_line(found, kShownBytes)));
  std::vector<ComponentFields> fields;
  for (const Json& item : found) fields.emplace_back(item, format("{}.{}[{}]", where_, key, fields.size()));
  return fields;
}

ComponentFields ComponentFields::object(const std::string& key) const {
  return {value(key), format("{}.{}", where_, key)};
}

void ComponentFields::refuse(const std::string& key, const std::string& why) const {
  throw Error(ErrorKind::input_file, format("{}: '{}' {}", where_, key, why));
}

void ComponentFields::refuse_type(const std::string& kind, const std::string& known) const {
  throw Error(ErrorKind::input_file,
              format("{}: the {} '{}' is not known; known are {}", where_, kind, one_line(text("type")), known));
}

std::optional<uint32_t> json_count(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() ? json.get<uint64_t>() > UINT32_MAX
                                : json.get<int64_t>() < 0 || json.get<int64_t>() > int64_t{UINT32_MAX}) {
    return std::nullopt;
  }
  return json.get<uint32_t>();
}

std::string component_place(const std::string& file, const std::string& key) {
  return format("{}: {}", file, key);
}

}  // namespace dflash
