#include "common/config/run_config.h"

#include "common/base/hash.h"
#include "common/config/checks.h"
#include "common/config/overrides.h"
#include "common/config/schema.h"
#include "common/config/toml_reader.h"

namespace dflash {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Makes a default explicit, so that it travels, is hashed and is saved as it was when the run began.
void set_to_default(Message& section, const FieldDescriptor& field) {
  const Reflection& values = *section.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return values.SetInt32(&section, &field, field.default_value_int32());
    case FieldDescriptor::CPPTYPE_INT64:
      return values.SetInt64(&section, &field, field.default_value_int64());
    case FieldDescriptor::CPPTYPE_UINT64:
      return values.SetUInt64(&section, &field, field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return values.SetDouble(&section, &field, field.default_value_double());
    case FieldDescriptor::CPPTYPE_STRING:
      return values.SetString(&section, &field, field.default_value_string());
    case FieldDescriptor::CPPTYPE_BOOL:
      return values.SetBool(&section, &field, field.default_value_bool());
    case FieldDescriptor::CPPTYPE_ENUM:
      return values.SetEnum(&section, &field, field.default_value_enum());
    default:
      throw Error(ErrorKind::internal, "no default for fields of this type: " + field.full_name());
  }
}

void fill_defaults(RunConfig& config) {
  for (const SettingKey& key : setting_keys()) {
    Message& section = *config.GetReflection()->MutableMessage(&config, key.section);
    if (key.field->is_repeated() || section.GetReflection()->HasField(section, key.field)) continue;
    set_to_default(section, *key.field);
  }
}

ConfigDraft read_draft(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  ConfigDraft draft;
  read_toml_file(draft, path);
  for (const std::string& text : overrides) apply_override(draft, text);
  return draft;
}

}  // namespace

RunConfig load_run_config(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  ConfigDraft draft = read_draft(path, overrides);
  check_settings(draft, path.string());
  fill_defaults(draft.config);
  return draft.config;
}

Error with_place(const Error& error, const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  if (error.kind() != ErrorKind::config) return error;
  const std::string message = error.what();
  const ConfigDraft draft = read_draft(path, overrides);
  const auto place = draft.origin.find(message.substr(0, message.find(' ')));
  return config_error(place == draft.origin.end() ? path.string() : place->second, message);
}

uint64_t config_hash(const RunConfig& config) {
  // Without maps and unknown fields the wire form of equal messages is equal.
  return hash_text(config.SerializeAsString());
}

}  // namespace dflash
