#include "common/eval/answer_queue.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/answers/begun_thought.h"
#include "common/data/rows/bad_row.h"

namespace dflash {
AnswerQueue::AnswerQueue(PromptList& prompts, const PromptEncoder& encoder, AnswerFile& file, AnswerRules rules)
    : prompts_(prompts), encoder_(encoder), file_(file), rules_(rules) {}

std::optional<PlainPrompt> AnswerQueue::next(bool idle) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (!later_turns_.empty()) {
      PlainPrompt prompt = std::move(later_turns_.front());
      later_turns_.pop_front();
      return prompt;
    }
    if (may_read()) {
      if (auto prompt = read_row()) return prompt;
      continue;
    }
    if (!idle || (all_read_ && open_.empty())) return std::nullopt;
    changed_.wait(lock);  // for a later turn of a row that another thread answers
  }
  return std::nullopt;
}

bool AnswerQueue::may_read() const {
  return !all_read_ && (open_.empty() || prompts_.next_number() - open_.begin()->first < rules_.most_rows_ahead);
}

/// Nothing: the row is left out, or there is none.
std::optional<PlainPrompt> AnswerQueue::read_row() {
  NumberedPrompt prompt;
  if (!prompts_.next(prompt)) {
    all_read_ = true;
    changed_.notify_all();
    return std::nullopt;
  }
  ledger_.count(prompt.row.verdict, prompt.file, prompt.row.line_number);
  if (!prompt.row.verdict.dropped) {
    try {
      return open_row(prompt);
    } catch (const BadRow& bad) {
      ledger_.take_back(bad.reason(), bad.what(), prompt.file, prompt.row.line_number);
    }
  }
  ++counts_.rows_done;
  file_.put(prompt.number, "");
  return std::nullopt;
}

/// Throws BadRow.
std::optional<PlainPrompt> AnswerQueue::open_row(NumberedPrompt& prompt) {
  Conversation& conversation = prompt.row.verdict.conversation;
  OpenRow row{{conversation.messages, conversation.later_questions}, conversation.id, conversation.tools, ""};
  if (!row.chat.is_asking()) throw BadRow(DropReason::no_question, "no user asks before the first result of a tool");
  PlainPrompt first = make_prompt(prompt.number, row);
  open_.emplace(prompt.number, std::move(row));
  return first;
}

/// The question that is to be answered, behind everything before it. Throws BadRow.
PlainPrompt AnswerQueue::make_prompt(int64_t number, OpenRow& row) {
  std::vector<int32_t> ids;
  try {
    ids = encoder_.encode_chat(row.chat.messages(), row.tools, scratch_);
  } catch (const TemplateError& error) {
    throw BadRow(DropReason::template_error, error.what());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file) throw;
    throw BadRow(DropReason::bad_tokens, error.what());
  }
  if (ids.empty()) throw BadRow(DropReason::template_error, "no token comes out of it");
  for (const int32_t id : ids) {
    if (id < rules_.vocab_size) continue;
    throw BadRow(DropReason::bad_tokens,
                 format("the tokenizer gives token {}, the model has {}", id, rules_.vocab_size));
  }
  const auto length = static_cast<int64_t>(ids.size());
  if (length >= rules_.max_context) {
    throw BadRow(DropReason::prompt_too_long,
                 format("{} tokens, of {} that a conversation may have", length, rules_.max_context));
  }
  row.thought = begun_thought(encoder_.tokenizer(), ids);
  return {{ids.begin(), ids.end()},
          std::min(rules_.max_new_tokens, rules_.max_context - length),
          static_cast<uint64_t>(number),
          static_cast<uint64_t>(row.chat.answers())};
}

std::string AnswerQueue::text_of(const PlainAnswer& answer) {
  std::vector<uint32_t> ids(answer.ids.begin(), answer.ids.end());
  if (answer.stopped) ids.pop_back();
  const Tokenizer& tokenizer = encoder_.tokenizer();
  if (std::ranges::any_of(ids, [&](uint32_t id) { return tokenizer.is_special(id); })) {
    ++counts_.answers_with_special_tokens;
  }
  return tokenizer.decode(ids, /*skip_special_tokens=*/true);
}

void AnswerQueue::take(PlainAnswer answer) {
  const std::scoped_lock lock(mutex_);
  const auto number = static_cast<int64_t>(answer.row);
  OpenRow& row = open_.at(number);
  ++counts_.answers;
  if (!answer.stopped) ++counts_.cut_answers;
  row.chat.answer(row.thought + text_of(answer), !answer.stopped);
  if (row.chat.is_asking()) ask_again(number, row);
  if (!row.chat.is_asking()) {
    close_row(number, row);
    open_.erase(number);
  }
  changed_.notify_all();
}

/// A later question that cannot be asked ends the conversation; the answers before it stay.
void AnswerQueue::ask_again(int64_t number, OpenRow& row) {
  try {
    later_turns_.push_back(make_prompt(number, row));
  } catch (const BadRow&) {
    row.chat.end_early();
  }
}

void AnswerQueue::close_row(int64_t number, const OpenRow& row) {
  Json line = Json::object();
  if (!row.id.empty()) line["id"] = row.id;
  line["messages"] = row.chat.answered();
  if (!row.tools.is_null()) line["tools"] = row.tools;
  line["row"] = number;
  file_.put(number, line.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
  ++counts_.rows_done;
  ++counts_.rows_answered;
  if (row.chat.ended_early()) ++counts_.rows_ended_early;
}

void AnswerQueue::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

AnswerCounts AnswerQueue::counts() const {
  const std::scoped_lock lock(mutex_);
  AnswerCounts counts = counts_;
  counts.new_tokens = new_tokens_;
  return counts;
}

RowLedger AnswerQueue::ledger() const {
  const std::scoped_lock lock(mutex_);
  return ledger_;
}

}  // namespace dflash
