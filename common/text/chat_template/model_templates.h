// ModelTemplates: where a model's chat template comes from, and the special tokens it names.
//
//   const ModelTemplates model = ModelTemplates::read("models/qwen3");
//   model.for_tools(false).render(messages, options);
//
// Threading: immutable. Owns: the parsed templates.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/text/chat_template/chat_template.h"

namespace dflash {

class ModelTemplates {
 public:
  /// A model's folder: chat_template.jinja, else the `chat_template` of tokenizer_config.json (a text, or a list of
  /// named ones, of which `default` and `tool_use` are taken). A tokenizer_config.json alone; any other file is a
  /// template itself. Error{input_file} when there is none, TemplateError when it is no template.
  [[nodiscard]] static ModelTemplates read(const std::filesystem::path& path);

  /// The template of `path`, which may be anything that read takes, with the special tokens of a model's folder: those
  /// of its tokenizer_config.json, when it has one.
  [[nodiscard]] static ModelTemplates read_for_model(const std::filesystem::path& path,
                                                     const std::filesystem::path& folder);

  /// The one for conversations with tools, or without: `tool_use` when there is one.
  [[nodiscard]] const ChatTemplate& for_tools(bool has_tools) const;
  /// What ChatTemplate::variables says of the one or the other.
  [[nodiscard]] std::set<std::string> variables() const;
  /// Of tokenizer_config.json; empty when it names none or there is no such file.
  [[nodiscard]] const std::string& bos_token() const { return bos_token_; }
  [[nodiscard]] const std::string& eos_token() const { return eos_token_; }

 private:
  void read_folder(const std::filesystem::path& folder);
  void read_config(const Json& config, const std::filesystem::path& path);
  void read_special_tokens(const Json& config, const std::filesystem::path& path);
  void read_template_file(const std::filesystem::path& path);
  void read_named(const Json& named, const std::string& source);
  std::optional<ChatTemplate> default_;
  std::optional<ChatTemplate> tool_use_;
  std::string bos_token_;
  std::string eos_token_;
};

}  // namespace dflash
