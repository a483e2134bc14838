#include "common/data/prepare/row_preparer.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/prepare/length_rules.h"
#include "common/data/prepare/unwritten_calls.h"
#include "common/data/rows/bad_row.h"
#include "common/text/chat_template/fixed_clock.h"
#include "common/text/chat_template/prepare_messages.h"
#include "common/text/chat_template/template_variables.h"

namespace dflash {
namespace {

void leave_out(PreparedRow& row, DropReason reason, std::string detail) {
  row.dropped = reason;
  row.detail = std::move(detail);
  std::vector<int32_t>().swap(row.input_ids);  // gives its memory back, as = {} does not
  std::vector<uint8_t>().swap(row.loss_mask);
}

std::vector<int32_t> signed_ids(const std::vector<uint32_t>& ids) {
  std::vector<int32_t> list(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) list[i] = static_cast<int32_t>(ids[i]);
  return list;
}

/// The texts of the special tokens among `ids`.
std::vector<std::string_view> special_texts(const Tokenizer& tokenizer, const std::vector<uint32_t>& ids) {
  std::vector<std::string_view> texts;
  for (const uint32_t id : ids) {
    if (!tokenizer.is_special(id)) continue;
    const auto text = tokenizer.token_of(id);
    if (text && std::ranges::find(texts, *text) == texts.end()) texts.push_back(*text);
  }
  return texts;
}

int64_t count_answers_with(const std::vector<std::string_view>& texts, const Json& messages) {
  return std::ranges::count_if(messages, [&texts](const Json& message) {
    if (message["role"] != "assistant") return false;
    const auto& content = message["content"].get_ref<const std::string&>();
    return std::ranges::any_of(texts, [&](std::string_view text) { return content.find(text) != std::string::npos; });
  });
}

}  // namespace

ModelTemplates read_templates(const PrepareSettings& settings) {
  ModelTemplates templates = settings.model.empty()
                                 ? ModelTemplates::read(settings.chat_template)
                                 : ModelTemplates::read_for_model(settings.chat_template, settings.model);
  check_template_variables(settings.template_variables, templates);
  return templates;
}

PrepareTexts read_texts(const PrepareSettings& settings) {
  return {Tokenizer::read(settings.tokenizer), read_templates(settings)};
}

void check_shape_fits(const PrepareSettings& settings, RowShape shape, const std::string& file) {
  if (shape != RowShape::text && shape != RowShape::token_ids) return;
  const bool last_turn = settings.supervise == Supervise::last_turn;
  if (!last_turn && settings.reasoning) return;
  throw Error(ErrorKind::config,
              format("{}: its rows are read as {}, and nobody knows their {}; give files of conversations, or prepare "
                     "this one {}",
                     file, row_shape_name(shape), last_turn ? "turns" : "thoughts",
                     last_turn ? "without supervising the last turn alone" : "with reasoning"));
}

RowPreparer::RowPreparer(const PrepareSettings& settings, const PrepareTexts& texts, TemplateAllowance allowance)
    : settings_(settings), texts_(texts), allowance_(allowance) {
  options_.bos_token = texts.templates.bos_token();
  options_.eos_token = texts.templates.eos_token();
  options_.extra = settings.template_variables;
  options_.clock = fixed_clock(settings.now);
  options_.allowance = &allowance_;
}

PreparedRow RowPreparer::prepare(const Line& line, RowShape shape) {
  RowVerdict verdict = parser_.read(line, shape);
  PreparedRow row;
  row.line = line.number;
  row.kind = verdict.conversation.kind;
  row.notes = std::move(verdict.notes);
  if (verdict.dropped) {
    leave_out(row, *verdict.dropped, std::move(verdict.detail));
    return row;
  }
  try {
    fill(verdict.conversation, row);
    check_ids(row, settings_);
    apply_length_rules(row, settings_);
  } catch (const BadRow& bad) {
    leave_out(row, bad.reason(), bad.what());
  } catch (const TemplateError& error) {
    leave_out(row, DropReason::template_error, error.reason());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file) throw;
    leave_out(row, DropReason::bad_tokens, error.what());
  }
  return row;
}

void RowPreparer::fill(Conversation& conversation, PreparedRow& row) {
  switch (conversation.kind) {
    case ContentKind::chat:
      fill_chat(conversation, row);
      return;
    case ContentKind::text:
      fill_text(conversation, row);
      return;
    case ContentKind::tokens:
      fill_tokens(conversation, row);
      return;
  }
}

const ChatTemplate& RowPreparer::template_for(bool has_tools) const {
  try {
    return texts_.templates.for_tools(has_tools);
  } catch (const Error& error) {
    throw BadRow(DropReason::template_error, error.what());
  }
}

MaskedChat RowPreparer::mask(const Conversation& conversation, const ChatTemplate& chat, const ChatOptions& options) {
  const MaskRules rules{settings_.supervise, settings_.reasoning, conversation.trained, conversation.cut};
  return mask_chat(texts_.tokenizer, scratch_, chat, prepare_messages(conversation.messages), options, rules);
}

const GenerationMarks& RowPreparer::marks_of(bool has_tools, const ChatOptions& options) {
  auto& marks = marks_[has_tools ? 1 : 0];
  if (marks) return *marks;
  ChatOptions own = options;
  own.allowance = nullptr;  // kept for all rows, whatever this one has left
  marks = find_generation_marks(template_for(has_tools), own);
  return *marks;
}

void RowPreparer::fill_chat(Conversation& conversation, PreparedRow& row) {
  const bool has_tools = !conversation.tools.is_null();
  options_.tools = conversation.tools;
  allowance_.used = 0;
  const ChatTemplate& chat = template_for(has_tools);
  const std::vector<size_t> unwritten = find_unwritten_calls(conversation, chat, options_);
  for (const size_t message : unwritten) conversation.trained[message] = false;
  const MaskedChat masked = mask(conversation, chat, options_);
  const GenerationMarkCounts marked = count_marked(marks_of(has_tools, options_), masked.turns);
  row.turns = {.turns = static_cast<int64_t>(masked.turns.spans.size()),
               .rewritten = static_cast<int64_t>(masked.turns.rewritten),
               .unplaced = static_cast<int64_t>(masked.turns.unplaced),
               .marked_headers = marked.headers,
               .marked_spaces = marked.spaces,
               .thoughts = masked.thoughts,
               .special_tokens = count_answers_with(special_texts(texts_.tokenizer, masked.ids), conversation.messages),
               .unwritten_calls = static_cast<int64_t>(unwritten.size())};
  row.input_ids = signed_ids(masked.ids);
  row.loss_mask = masked.loss_mask;
}

void RowPreparer::fill_text(const Conversation& conversation, PreparedRow& row) {
  texts_.tokenizer.encode(conversation.text, {.special_tokens = false}, scratch_, encoding_);
  row.input_ids = signed_ids(encoding_.ids);
  row.loss_mask.assign(row.input_ids.size(), 1);
}

void RowPreparer::fill_tokens(Conversation& conversation, PreparedRow& row) const {
  row.input_ids = std::move(conversation.input_ids);
  row.loss_mask = std::move(conversation.loss_mask);
  if (settings_.supervise == Supervise::everything) row.loss_mask.assign(row.input_ids.size(), 1);
}

}  // namespace dflash
