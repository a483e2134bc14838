#include "common/config/assign_value.h"

#include "common/base/format.h"
#include "common/config/key_text.h"
#include "common/config/named_values.h"
#include "common/config/suggestions.h"

namespace dflash {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void set_scalar(Message& section, const FieldDescriptor& field, const ValueChecker& checker, const toml::node& node) {
  const Reflection& values = *section.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return values.SetInt32(&section, &field, static_cast<int32_t>(checker.integer(node)));
    case FieldDescriptor::CPPTYPE_INT64:
      return values.SetInt64(&section, &field, checker.integer(node));
    case FieldDescriptor::CPPTYPE_UINT64:
      return values.SetUInt64(&section, &field, static_cast<uint64_t>(checker.integer(node)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return values.SetDouble(&section, &field, checker.number(node));
    case FieldDescriptor::CPPTYPE_STRING:
      return values.SetString(&section, &field, checker.string(node));
    case FieldDescriptor::CPPTYPE_BOOL:
      return values.SetBool(&section, &field, checker.boolean(node));
    case FieldDescriptor::CPPTYPE_ENUM:
      return values.SetEnum(&section, &field, checker.choice(node));
    default:
      throw Error(ErrorKind::internal, format("settings cannot hold fields of {}'s type", field.full_name()));
  }
}

void add_element(Message& section, const FieldDescriptor& field, const ValueChecker& checker, const toml::node& node) {
  const Reflection& values = *section.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return values.AddInt32(&section, &field, static_cast<int32_t>(checker.integer(node)));
    case FieldDescriptor::CPPTYPE_STRING:
      return values.AddString(&section, &field, checker.string(node));
    case FieldDescriptor::CPPTYPE_ENUM:
      return values.AddEnum(&section, &field, checker.choice(node));
    default:
      throw Error(ErrorKind::internal, format("settings cannot hold lists of {}'s type", field.full_name()));
  }
}

void add_named(Message& section, const FieldDescriptor& field, const ValueChecker& checker, const std::string& name,
               const toml::node& node) {
  checker.check_name(node, name);
  set_named_value(section, field, name, checker.json(node));
}

void set_list(Message& section, const FieldDescriptor& field, const ValueChecker& checker, const toml::node& node) {
  section.GetReflection()->ClearField(&section, &field);
  if (field.options().GetExtension(named_values)) {
    for (const auto& [name, value] : checker.table(node)) {
      add_named(section, field, checker, std::string(name.str()), value);
    }
    return;
  }
  if (field.options().GetExtension(one_for_all) && node.is_string()) return add_element(section, field, checker, node);
  for (const toml::node& element : checker.array(node)) add_element(section, field, checker, element);
}

}  // namespace

void require_section(const std::string& section, const std::string& place) {
  if (find_section(section) != nullptr) return;
  throw config_error(place,
                     format("unknown section {}; did you mean '{}'?", name_text(section), suggest_section(section)));
}

void assign_value(ConfigDraft& draft, const std::string& section, const std::string& key, const std::string& key_place,
                  const toml::node& value, const ValueSource& source) {
  require_section(section, key_place);
  const FieldDescriptor* section_field = find_section(section);
  const size_t dot = key.find('.');  // data.template_variables.NAME
  const FieldDescriptor* field = section_field->message_type()->FindFieldByName(key.substr(0, dot));
  if (field == nullptr || (dot != std::string::npos && !field->options().GetExtension(named_values))) {
    throw config_error(key_place, format("unknown key {}; did you mean '{}'?", name_text(section + "." + key),
                                         suggest_key(section, key)));
  }
  Message& message = *draft.config.GetReflection()->MutableMessage(&draft.config, section_field);
  const SettingKey setting{section_field, field};
  const ValueChecker checker(setting, source);
  if (dot != std::string::npos) {
    add_named(message, *field, checker, key.substr(dot + 1), value);
  } else if (field->is_repeated()) {
    set_list(message, *field, checker, value);
  } else {
    set_scalar(message, *field, checker, value);
  }
  draft.origin[setting.name()] = source.place(value.source());
}

}  // namespace dflash
