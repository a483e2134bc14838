// PromptEncoder: prompts -> token ids, by a model's tokenizer and chat template, with the generation prompt at the end.
//
//   const PromptEncoder encoder = PromptEncoder::read({.model = "models/qwen3"});
//   TokenizerScratch scratch;
//   encoder.encode(row.verdict, scratch);   // fills conversation.input_ids, or says why not
//
// No special tokens are added: templates write them, and a `text` has had its template.
//
// Threading: immutable; shared by any number of threads, each with a TokenizerScratch of its own.
// Owns: tokenizer and templates.
#pragma once

#include <filesystem>

#include "common/base/json.h"
#include "common/data/rows/conversation.h"
#include "common/text/chat_template/fixed_clock.h"
#include "common/text/chat_template/model_templates.h"
#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

struct PromptEncoderFiles {
  std::filesystem::path model;          // a model's folder
  std::filesystem::path tokenizer;      // empty: tokenizer.json of the folder
  std::filesystem::path chat_template;  // empty: that of the folder; else as ModelTemplates::read takes it
  Json variables = Json::object();      // further variables of the template: enable_thinking, ...
  std::string now = kUsualTime;         // the time that templates see, as data is prepared with
};

class PromptEncoder {
 public:
  /// Error{input_file} in words for a file that is not there or cannot be used, Error{config} for a time that is none
  /// and for variables that check_template_variables refuses.
  [[nodiscard]] static PromptEncoder read(const PromptEncoderFiles& files);

  /// Fills input_ids of a row that is not dropped; those of tokens are there already. The row is dropped as
  /// template_error when the template refuses it or nothing comes out, as bad_tokens when the tokenizer does.
  void encode(RowVerdict& verdict, TokenizerScratch& scratch) const;
  /// The ids of `messages`, as a conversation holds them. Error{input_file} as rendering and encoding.
  [[nodiscard]] std::vector<int32_t> encode_chat(const Json& messages, const Json& tools,
                                                 TokenizerScratch& scratch) const;
  [[nodiscard]] const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  PromptEncoder(Tokenizer tokenizer, ModelTemplates templates, Json variables, std::function<std::tm()> clock)
      : tokenizer_(std::move(tokenizer)),
        templates_(std::move(templates)),
        variables_(std::move(variables)),
        clock_(std::move(clock)) {}
  [[nodiscard]] std::string render(const Json& messages, const Json& tools) const;
  [[nodiscard]] std::vector<int32_t> encode_text(const std::string& text, TokenizerScratch& scratch) const;

  Tokenizer tokenizer_;
  ModelTemplates templates_;
  Json variables_;
  std::function<std::tm()> clock_;
};

/// The tokenizer of a model: `tokenizer`, or tokenizer.json of `model` when that is empty. Error{input_file} in words
/// when it is not there.
[[nodiscard]] Tokenizer read_model_tokenizer(const std::filesystem::path& model,
                                             const std::filesystem::path& tokenizer);

}  // namespace dflash
