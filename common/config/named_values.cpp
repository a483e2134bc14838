#include "common/config/named_values.h"

#include <algorithm>
#include <map>

#include "common/base/format.h"
#include "common/config/key_text.h"

namespace dflash {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// NAME -> JSON, as text.
std::map<std::string, std::string> entries_of(const Message& section, const FieldDescriptor& field) {
  std::map<std::string, std::string> entries;
  for (int i = 0; i < section.GetReflection()->FieldSize(section, &field); ++i) {
    const std::string word = section.GetReflection()->GetRepeatedString(section, &field, i);
    const size_t equals = word.find('=');
    entries[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return entries;
}

std::string key_of(const std::string& name) {
  const auto is_bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && std::ranges::all_of(name, is_bare) ? name : quoted_text(name);
}

}  // namespace

std::string toml_text(const Json& value) {
  if (value.is_string()) return quoted_text(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::string inside;
  for (const auto& [name, element] : value.items()) {
    if (!inside.empty()) inside += ", ";
    inside += value.is_object() ? format("{} = {}", key_of(name), toml_text(element)) : toml_text(element);
  }
  return value.is_object() ? format("{{{}}}", inside) : format("[{}]", inside);
}

std::string named_values_text(const Message& section, const FieldDescriptor& field) {
  Json table = Json::object();
  for (const auto& [name, json] : entries_of(section, field)) table[name] = parse_json(json, field.full_name());
  return toml_text(table);
}

void set_named_value(Message& section, const FieldDescriptor& field, const std::string& name, const Json& value) {
  auto entries = entries_of(section, field);
  entries[name] = value.dump();
  section.GetReflection()->ClearField(&section, &field);
  for (const auto& [key, json] : entries) {
    section.GetReflection()->AddString(&section, &field, format("{}={}", key, json));
  }
}

}  // namespace dflash
