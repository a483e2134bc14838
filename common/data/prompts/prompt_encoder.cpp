#include "common/data/prompts/prompt_encoder.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/chat_template/prepare_messages.h"
#include "common/text/chat_template/template_variables.h"

namespace dflash {
namespace {

void drop(RowVerdict& verdict, DropReason reason, const std::string& detail) {
  verdict.dropped = reason;
  verdict.detail = detail;
}

}  // namespace

Tokenizer read_model_tokenizer(const std::filesystem::path& model, const std::filesystem::path& tokenizer) {
  const std::filesystem::path path = tokenizer.empty() ? model / "tokenizer.json" : tokenizer;
  if (tokenizer.empty() && !std::filesystem::exists(path)) {
    throw Error(ErrorKind::input_file,
                format("{}: there is no tokenizer.json in this folder, and raw text needs one; copy it there, or name "
                       "it with --tokenizer",
                       model.string()));
  }
  return Tokenizer::read(path);
}

PromptEncoder PromptEncoder::read(const PromptEncoderFiles& files) {
  Tokenizer tokenizer = read_model_tokenizer(files.model, files.tokenizer);
  ModelTemplates templates = files.chat_template.empty()
                                 ? ModelTemplates::read(files.model)
                                 : ModelTemplates::read_for_model(files.chat_template, files.model);
  check_template_variables(files.variables, templates);
  return {std::move(tokenizer), std::move(templates), files.variables, fixed_clock(files.now)};
}

std::string PromptEncoder::render(const Json& messages, const Json& tools) const {
  ChatOptions options;
  options.tools = tools;
  options.add_generation_prompt = true;
  options.bos_token = templates_.bos_token();
  options.eos_token = templates_.eos_token();
  options.extra = variables_;
  options.clock = clock_;
  return templates_.for_tools(!tools.is_null()).render(prepare_messages(messages), options).text;
}

std::vector<int32_t> PromptEncoder::encode_text(const std::string& text, TokenizerScratch& scratch) const {
  Encoding encoding;
  tokenizer_.encode(text, {.special_tokens = false}, scratch, encoding);
  return {encoding.ids.begin(), encoding.ids.end()};
}

std::vector<int32_t> PromptEncoder::encode_chat(const Json& messages, const Json& tools,
                                                TokenizerScratch& scratch) const {
  return encode_text(render(messages, tools), scratch);
}

void PromptEncoder::encode(RowVerdict& verdict, TokenizerScratch& scratch) const {
  Conversation& conversation = verdict.conversation;
  if (verdict.dropped || conversation.kind == ContentKind::tokens) return;
  try {
    conversation.input_ids = conversation.kind == ContentKind::text
                                 ? encode_text(conversation.text, scratch)
                                 : encode_chat(conversation.messages, conversation.tools, scratch);
    if (conversation.input_ids.empty()) drop(verdict, DropReason::template_error, "no token comes out of it");
  } catch (const TemplateError& error) {
    drop(verdict, DropReason::template_error, error.what());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file) throw;
    drop(verdict, DropReason::bad_tokens, error.what());
  }
}

}  // namespace dflash
