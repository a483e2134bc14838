#include "common/config/schema.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "common/base/error.h"
#include "proto/run_config.pb.h"
#include "proto/run_config_descriptors.h"

namespace dflash {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptorProto;

std::vector<SettingKey> list_keys() {
  std::vector<SettingKey> keys;
  const Descriptor* config = RunConfig::descriptor();
  for (int s = 0; s < config->field_count(); ++s) {
    const Descriptor* section = config->field(s)->message_type();
    for (int f = 0; f < section->field_count(); ++f) keys.push_back({config->field(s), section->field(f)});
  }
  return keys;
}

/// The schema's file with its comments, which generated code does not carry.
FileDescriptorProto read_schema_source() {
  google::protobuf::FileDescriptorSet set;
  const std::string_view bytes = run_config_descriptors();
  if (!set.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || set.file_size() != 1) {
    throw Error(ErrorKind::internal, "the embedded descriptors of run_config.proto cannot be read");
  }
  return set.file(0);
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
  static const std::vector<SettingKey> keys = list_keys();
  return keys;
}

const FieldDescriptor* find_section(const std::string& name) {
  return RunConfig::descriptor()->FindFieldByName(name);
}

std::string key_comment(const SettingKey& key) {
  static const FileDescriptorProto source = read_schema_source();
  // descriptor.proto: 4 = FileDescriptorProto.message_type, 2 = DescriptorProto.field.
  const std::vector<int> path = {4, key.field->containing_type()->index(), 2, key.field->index()};
  for (const auto& location : source.source_code_info().location()) {
    if (!std::equal(path.begin(), path.end(), location.path().begin(), location.path().end())) continue;
    std::string text = location.leading_comments();
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  }
  return "";
}

}  // namespace dflash
