#include "common/hf/weight_index.h"

#include "common/base/format.h"
#include "common/base/json.h"
#include "common/hf/folder_files.h"

namespace dflash {
namespace {

bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name != "." && name.find('/') == std::string::npos && name.find("..") == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

std::map<std::string, std::string> read_weight_index(const std::filesystem::path& path) {
  const Json index = read_json_file(path);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    refuse_file(path, "expected an object with weight_map {tensor: file}");
  }
  std::map<std::string, std::string> file_of;
  for (const auto& item : index["weight_map"].items()) {
    if (!item.value().is_string()) refuse_file(path, format("weight_map '{}': expected a file name", item.key()));
    const auto file = item.value().get<std::string>();
    if (!is_plain_file_name(file)) {
      refuse_file(path, format("weight_map '{}': no plain file name inside the folder: '{}'", item.key(), file));
    }
    file_of.emplace(item.key(), file);
  }
  if (file_of.empty()) refuse_file(path, "weight_map is empty");
  return file_of;
}

}  // namespace dflash
