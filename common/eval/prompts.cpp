#include "common/eval/prompts.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/answers/begun_thought.h"

namespace dflash {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", where, why));
}

}  // namespace

std::string PromptReader::read(const std::string& path, const PromptFileOptions& options,
                               std::vector<Prompt>& prompts) {
  PromptFile file(path, options.shape);
  const size_t before = prompts.size();
  const auto has_room = [&] {
    return !options.most_prompts || prompts.size() - before < static_cast<size_t>(*options.most_prompts);
  };
  for (PromptRow row; has_room() && file.next(row);) prompts.push_back(make_prompt(file, row));
  if (prompts.size() == before) refuse(path, "holds no prompt");
  ++files_read_;
  return file.description();
}

Prompt PromptReader::make_prompt(const PromptFile& file, PromptRow& row) {
  if (!row.verdict.dropped && row.verdict.conversation.kind != ContentKind::tokens) {
    encoder().encode(row.verdict, scratch_);
  }
  if (row.verdict.dropped) throw Error(ErrorKind::input_file, prompt_row_error(file, row));
  Prompt prompt{{}, row.kind.empty() ? "all" : row.kind, files_read_, row.verdict.conversation.id};
  prompt.where = format("{}:{}", file.path(), row.line_number);
  prompt.ids = checked_ids(row.verdict.conversation, prompt.where);
  prompt.conversation = std::move(row.verdict.conversation);
  return prompt;
}

std::vector<int64_t> PromptReader::checked_ids(const Conversation& conversation, const std::string& where) const {
  std::vector<int64_t> ids(conversation.input_ids.begin(), conversation.input_ids.end());
  for (const int64_t id : ids) {
    if (id < vocab_size_) continue;
    refuse(where, format("token id {} is not in the target's vocabulary of {}{}", id, vocab_size_,
                         conversation.kind == ContentKind::tokens ? "" : "; is the tokenizer the target's?"));
  }
  return ids;
}

std::optional<Prompt> PromptReader::next_question(const Prompt& prompt, std::span<const int64_t> answer_ids) {
  if (prompt.conversation.later_questions.empty()) return std::nullopt;
  const std::vector<uint32_t> ids(answer_ids.begin(), answer_ids.end());
  Prompt next = prompt;
  Conversation& conversation = next.conversation;
  const Tokenizer& tokenizer = encoder().tokenizer();
  const std::string text = begun_thought(tokenizer, conversation.input_ids) + tokenizer.decode(ids, true);
  conversation.messages.push_back({{"role", "assistant"}, {"content", text}});
  conversation.messages.push_back(conversation.later_questions.front());
  conversation.later_questions.erase(conversation.later_questions.begin());
  RowVerdict verdict;
  verdict.conversation = std::move(conversation);
  encoder().encode(verdict, scratch_);
  if (verdict.dropped) refuse(prompt.where, format("the next question: {}", verdict.detail));
  conversation = std::move(verdict.conversation);
  next.ids = checked_ids(conversation, prompt.where);
  return next;
}

const PromptEncoder& PromptReader::encoder() {
  if (!encoder_) encoder_ = PromptEncoder::read(files_);
  return *encoder_;
}

const Tokenizer& PromptReader::tokenizer() {
  if (encoder_) return encoder_->tokenizer();
  if (!tokenizer_) tokenizer_ = read_model_tokenizer(files_.model, files_.tokenizer);
  return *tokenizer_;
}

}  // namespace dflash
