#include "common/data/prepare/prepare_key.h"

#include <algorithm>

#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepare/row_preparer.h"
#include "common/data/rows/raw_bytes.h"

namespace dflash {
namespace {

/// Raised whenever the same rows and settings would give other bytes than before.
constexpr int kVersion = 2;

std::string hash_of_file(const std::filesystem::path& path) {
  return hash_hex(hash_bytes(MappedFile(path).bytes()));
}

Json input_json(const std::string& path) {
  std::error_code failed;
  if (path == "-" || (std::filesystem::exists(path, failed) && !std::filesystem::is_regular_file(path, failed))) {
    return nullptr;
  }
  // Read, not mapped: an input that is cut meanwhile would end the process.
  RawBytes file(path);
  Hasher hasher;
  for (std::string_view block = file.ahead(); !block.empty(); block = file.ahead()) {
    hasher.add(std::as_bytes(std::span(block)));
    file.consume(block.size());
  }
  return {{"bytes", file.offset()}, {"hash", hash_hex(hasher.value())}};
}

Json special_tokens(const PrepareSettings& settings) {
  const ModelTemplates templates = read_templates(settings);
  return {{"bos", templates.bos_token()}, {"eos", templates.eos_token()}};
}

/// Of the files that ModelTemplates reads.
Json template_hashes(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return hash_of_file(path);
  Json hashes = Json::object();
  for (const char* name : {"tokenizer_config.json", "chat_template.jinja"}) {
    if (std::filesystem::exists(path / name)) hashes[name] = hash_of_file(path / name);
  }
  return hashes;
}

void add_differences(const Json& left, const Json& right, const std::string& prefix, std::vector<std::string>& names) {
  for (const auto& [name, value] : left.items()) {
    const Json other = right.is_object() ? right.value(name, Json("absent")) : Json();
    if (value == other) continue;
    if (value.is_object() && other.is_object() && name == "settings") {
      add_differences(value, other, name + ".", names);
    } else {
      names.push_back(prefix + name);
    }
  }
  if (!right.is_object()) return;
  for (const auto& [name, value] : right.items()) {
    if (!left.contains(name)) names.push_back(prefix + name);
  }
}

}  // namespace

Json prepare_key(const std::vector<std::string>& files, const PrepareSettings& settings) {
  Json inputs = Json::array();
  for (const std::string& path : files) inputs.push_back(input_json(path));
  return {{"version", kVersion},
          {"inputs", std::move(inputs)},
          {"tokenizer", hash_of_file(tokenizer_file(settings.tokenizer))},
          {"template", template_hashes(settings.chat_template)},
          {"special_tokens", special_tokens(settings)},
          {"settings", settings_json(settings)}};
}

bool has_all_inputs(const Json& key) {
  return std::ranges::none_of(key.at("inputs"), [](const Json& input) { return input.is_null(); });
}

std::string key_differences(const Json& left, const Json& right) {
  if (left == right) return "";
  std::vector<std::string> names;
  add_differences(left, right, "", names);
  return names.empty() ? "what else it holds" : format("{}", join(names, ", "));
}

}  // namespace dflash
