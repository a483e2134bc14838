#include "common/text/chat_template/model_templates.h"

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr const char* kConfigName = "tokenizer_config.json";

/// A special token: a text, or an object with `content`.
std::string token_text(const Json& config, const char* key) {
  if (!config.contains(key)) return "";
  const Json& token = config.at(key);
  if (token.is_string()) return token;
  return token.is_object() && token.contains("content") && token["content"].is_string() ? token["content"] : "";
}

}  // namespace

ModelTemplates ModelTemplates::read(const std::filesystem::path& path) {
  ModelTemplates model;
  if (std::filesystem::is_directory(path)) {
    model.read_folder(path);
  } else if (path.extension() == ".json") {
    model.read_config(read_json_file(path), path);
  } else {
    model.read_template_file(path);
  }
  if (!model.default_ && !model.tool_use_) {
    throw Error(ErrorKind::input_file,
                format("{}: no chat template; give a Jinja file, or a folder with chat_template.jinja or a {} that has "
                       "`chat_template`",
                       path.string(), kConfigName));
  }
  return model;
}

ModelTemplates ModelTemplates::read_for_model(const std::filesystem::path& path, const std::filesystem::path& folder) {
  ModelTemplates model = read(path);
  const auto config_path = folder / kConfigName;
  if (std::filesystem::exists(config_path)) model.read_special_tokens(read_json_file(config_path), config_path);
  return model;
}

void ModelTemplates::read_folder(const std::filesystem::path& folder) {
  const auto config_path = folder / kConfigName;
  if (std::filesystem::exists(config_path)) {
    Json config = read_json_file(config_path);
    if (std::filesystem::exists(folder / "chat_template.jinja") && config.is_object()) config.erase("chat_template");
    read_config(config, config_path);
  }
  if (std::filesystem::exists(folder / "chat_template.jinja")) read_template_file(folder / "chat_template.jinja");
}

void ModelTemplates::read_template_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  default_ = ChatTemplate::parse(file.text(), path.string());
}

void ModelTemplates::read_special_tokens(const Json& config, const std::filesystem::path& path) {
  if (!config.is_object()) throw Error(ErrorKind::input_file, format("{}: expected an object", path.string()));
  bos_token_ = token_text(config, "bos_token");
  eos_token_ = token_text(config, "eos_token");
}

void ModelTemplates::read_config(const Json& config, const std::filesystem::path& path) {
  read_special_tokens(config, path);
  if (!config.contains("chat_template") || config["chat_template"].is_null()) return;
  const Json& source = config["chat_template"];
  if (source.is_string()) {
    default_ = ChatTemplate::parse(source.get_ref<const std::string&>(), path.string() + ": chat_template");
    return;
  }
  if (!source.is_array()) {
    throw Error(ErrorKind::input_file, format("{}: chat_template: expected a text or a list of named templates, got {}",
                                              path.string(), source.type_name()));
  }
  for (const Json& named : source) read_named(named, path.string());
}

void ModelTemplates::read_named(const Json& named, const std::string& source) {
  const auto is_text = [&named](const char* key) { return named.contains(key) && named.at(key).is_string(); };
  if (!named.is_object() || !is_text("name") || !is_text("template")) {
    throw Error(ErrorKind::input_file, format("{}: chat_template: expected objects with name and template", source));
  }
  const std::string name = named.at("name");
  if (name != "default" && name != "tool_use") return;
  auto& place = name == "default" ? default_ : tool_use_;
  place = ChatTemplate::parse(named.at("template").get_ref<const std::string&>(),
                              format("{}: chat_template '{}'", source, name));
}

const ChatTemplate& ModelTemplates::for_tools(bool has_tools) const {
  if (has_tools && tool_use_) return *tool_use_;
  if (!default_) {
    throw Error(ErrorKind::input_file,
                format("{}: there is no template named 'default' for conversations without tools", tool_use_->name()));
  }
  return *default_;
}

std::set<std::string> ModelTemplates::variables() const {
  std::set<std::string> names;
  for (const auto& one : {default_, tool_use_}) {
    if (one) names.insert(one->variables().begin(), one->variables().end());
  }
  return names;
}

}  // namespace dflash
