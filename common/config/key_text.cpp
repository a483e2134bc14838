#include "common/config/key_text.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/config/named_values.h"

namespace dflash {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string scalar_type_text(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return "string";
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return "number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true | false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return choices_text(field);
    default:
      return "integer";
  }
}

/// TOML is UTF-8: what is not could be written, and not read again when the run is resumed.
void require_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
  } catch (const Json::type_error&) {
    throw Error(ErrorKind::config, format("the setting {} is not UTF-8; rename what it names",
                                          Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
}

std::string escaped(const std::string& text, char quote) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      line += '\\';
      line += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      line += format("\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

std::string scalar_text(const Message& section, const FieldDescriptor& field) {
  const Reflection& values = *section.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return format("{}", values.GetInt32(section, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return format("{}", values.GetInt64(section, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return format("{}", values.GetUInt64(section, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return format("{}", values.GetDouble(section, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return values.GetBool(section, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return quoted_text(values.GetEnum(section, &field)->name());
    case FieldDescriptor::CPPTYPE_STRING:
      return quoted_text(values.GetString(section, &field));
    default:
      throw Error(ErrorKind::internal, format("no text for fields of {}'s type", field.full_name()));
  }
}

std::string element_text(const Message& section, const FieldDescriptor& field, int index) {
  const Reflection& values = *section.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return format("{}", values.GetRepeatedInt32(section, &field, index));
    case FieldDescriptor::CPPTYPE_STRING:
      return quoted_text(values.GetRepeatedString(section, &field, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return quoted_text(values.GetRepeatedEnum(section, &field, index)->name());
    default:
      throw Error(ErrorKind::internal, format("no text for lists of {}'s type", field.full_name()));
  }
}

/// A path or list of paths that was left open.
bool is_empty_path(const DataSection& data, const FieldDescriptor& field) {
  if (!field.options().GetExtension(file_path)) return false;
  const Reflection& values = *data.GetReflection();
  return field.is_repeated() ? values.FieldSize(data, &field) == 0 : values.GetString(data, &field).empty();
}

}  // namespace

std::string quoted_text(const std::string& text) {
  require_utf8(text);
  return format("\"{}\"", escaped(text, '"'));
}

std::string choices_text(const FieldDescriptor& field) {
  std::string names;
  for (int i = 0; i < field.enum_type()->value_count(); ++i) {
    names += (i == 0 ? "" : " | ") + field.enum_type()->value(i)->name();
  }
  return names;
}

std::string type_text(const FieldDescriptor& field) {
  if (field.options().GetExtension(named_values)) return "table of names and values";
  const std::string scalar = scalar_type_text(field);
  if (field.options().GetExtension(one_for_all)) return format("{}, or a list of them", scalar);
  return field.is_repeated() ? format("array of {}s", scalar) : scalar;
}

std::string range_text(const FieldDescriptor& field) {
  const auto& options = field.options();
  const bool low = options.HasExtension(at_least);
  const bool high = options.HasExtension(at_most);
  if (low && high) return format("from {} to {}", options.GetExtension(at_least), options.GetExtension(at_most));
  std::string text;
  if (low) text = format("at least {}", options.GetExtension(at_least));
  if (options.HasExtension(above)) text = format("above {}", options.GetExtension(above));
  if (high) text += format("{}at most {}", text.empty() ? "" : ", ", options.GetExtension(at_most));
  return text;
}

bool in_range(const FieldDescriptor& field, double value) {
  const auto& options = field.options();
  return (!options.HasExtension(at_least) || value >= options.GetExtension(at_least)) &&
         (!options.HasExtension(above) || value > options.GetExtension(above)) &&
         (!options.HasExtension(at_most) || value <= options.GetExtension(at_most));
}

std::string value_text(const Message& section, const FieldDescriptor& field) {
  if (!field.is_repeated()) return scalar_text(section, field);
  if (field.options().GetExtension(named_values)) return named_values_text(section, field);
  std::string list;
  for (int i = 0; i < section.GetReflection()->FieldSize(section, &field); ++i) {
    list += (i == 0 ? "" : ", ") + element_text(section, field, i);
  }
  return format("[{}]", list);
}

bool any_layer_slides(const DrafterSection& drafter) {
  const auto& types = drafter.layer_types();
  return std::find(types.begin(), types.end(), DrafterSection::sliding) != types.end();
}

bool is_idle(const RunConfig& config, const SettingKey& key) {
  if (key.name() == "drafter.sliding_window") return !any_layer_slides(config.drafter());
  if (key.section->name() == "data" && is_empty_path(config.data(), *key.field)) return true;
  return key.name() == "train.epochs" && config.train().steps() > 0;
}

std::string shown_text(const RunConfig& config, const SettingKey& key) {
  if (is_idle(config, key)) return "-";
  return value_text(config.GetReflection()->GetMessage(config, key.section), *key.field);
}

std::string name_text(const std::string& text) {
  return format("'{}'", escaped(text, '\''));
}

}  // namespace dflash
