#include "common/data/rows/chat_rows.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/rows/answer_marks.h"
#include "common/data/rows/blank_text.h"
#include "common/data/rows/message_rules.h"
#include "common/data/rows/question_rules.h"
#include "common/data/rows/tool_rules.h"

namespace dflash {
namespace {

constexpr size_t kMostShownBytes = 60;

bool is_assistant(const Json& message) {
  return message["role"] == "assistant";
}

void add_turn(Conversation& conversation, const char* role, std::string text) {
  conversation.messages.push_back({{"role", role}, {"content", std::move(text)}});
  conversation.trained.push_back(true);
}

void add_messages(const Json& list, const std::string& field, Conversation& conversation) {
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string where = format("{}[{}]", field, i);
    conversation.messages.push_back(normal_message(list[i], where));
    conversation.trained.push_back(!is_assistant(conversation.messages.back()) || is_trained(list[i], where));
  }
}

/// A field that holds the messages themselves, or the text of one turn.
void add_side(const JsonRow& row, const char* field, const char* role, Conversation& conversation) {
  const Json value = row.value(field);
  const bool messages = value.is_array() && !value.empty() && value[0].is_object() && !value[0].contains("type");
  if (messages) {
    add_messages(value, field, conversation);
  } else {
    add_turn(conversation, role, content_text(value, field));
  }
}

void add_pair(const JsonRow& row, const char* answer, RowUse use, Conversation& conversation) {
  add_side(row, "prompt", "user", conversation);
  if (use == RowUse::training) add_side(row, answer, "assistant", conversation);
}

/// Alpaca: [[question, answer], ...] before the row's own turn.
void add_history(const Json& history, Conversation& conversation) {
  for (size_t i = 0; i < history.size(); ++i) {
    const std::string where = format("history[{}]", i);
    if (!history[i].is_array() || history[i].size() != 2) {
      throw BadRow(DropReason::bad_message,
                   format("{} is no pair of texts: {}", where, json_line(history[i], kMostShownBytes)));
    }
    add_turn(conversation, "user", content_text(history[i][0], where));
    add_turn(conversation, "assistant", content_text(history[i][1], where));
  }
}

void add_instruction(const JsonRow& row, RowUse use, Conversation& conversation) {
  add_history(row.value("history"), conversation);
  std::string question = content_text(row.value("instruction"), "instruction");
  const std::string input = content_text(row.value("input"), "input");
  if (!input.empty()) question += "\n" + input;
  add_turn(conversation, "user", std::move(question));
  if (use == RowUse::training) add_turn(conversation, "assistant", content_text(row.value("output"), "output"));
}

/// messages and conversations are read alike; the other name counts when the file's own is absent or null.
void add_list(const JsonRow& row, RowShape shape, Conversation& conversation) {
  std::string field = row_shape_name(shape);
  const std::string other = shape == RowShape::messages ? "conversations" : "messages";
  if ((!row.has(field) || row.is_null(field)) && row.has(other)) field = other;
  const Json list = row.value(field);
  if (list.is_null()) throw BadRow(DropReason::empty_conversation, format("{} is null", field));
  if (!list.is_array()) {
    throw BadRow(DropReason::no_conversation, format("{} is no list: {}", field, json_line(list, kMostShownBytes)));
  }
  add_messages(list, field, conversation);
}

/// A column beside the conversation, as LLaMA-Factory and others have it.
void add_system_column(const JsonRow& row, Conversation& conversation) {
  std::string text = content_text(row.value("system"), "system");
  if (is_blank(text)) return;
  add_turn(conversation, "system", std::move(text));
}

void check_one_system(const Conversation& conversation, bool has_column) {
  const auto is_system = [](const Json& message) { return message["role"] == "system"; };
  if (has_column && std::count_if(conversation.messages.begin(), conversation.messages.end(), is_system) > 1) {
    throw BadRow(DropReason::bad_message, "a system column beside a system message");
  }
}

bool says_nothing(const Json& message) {
  for (const char* key : {"content", "reasoning_content", "reasoning", "thinking"}) {
    if (message.contains(key) && !(message[key].is_string() && is_blank(message[key].get_ref<const std::string&>()))) {
      return false;
    }
  }
  return !message.contains("tool_calls");
}

void check_said(const Json& messages) {
  if (messages.empty()) throw BadRow(DropReason::empty_conversation, "no message");
  if (std::all_of(messages.begin(), messages.end(), says_nothing)) {
    throw BadRow(DropReason::blank_conversation, "every message is blank");
  }
}

void check_answered(const Json& messages) {
  if (std::none_of(messages.begin(), messages.end(), is_assistant)) {
    throw BadRow(DropReason::no_assistant, "no message of the assistant");
  }
}

bool ends_a_thought_never_begun(const Json& message) {
  const auto& text = message["content"].get_ref<const std::string&>();
  const size_t end = text.find("</think>");
  return is_assistant(message) && end != std::string::npos && text.find("<think>") > end;
}

}  // namespace

void read_chat(const JsonRow& row, RowShape shape, RowUse use, Conversation& conversation) {
  conversation.kind = ContentKind::chat;
  conversation.messages = Json::array();
  add_system_column(row, conversation);
  const bool has_column = !conversation.messages.empty();
  if (shape == RowShape::messages || shape == RowShape::conversations) add_list(row, shape, conversation);
  if (shape == RowShape::prompt_response) add_pair(row, "response", use, conversation);
  if (shape == RowShape::prompt_completion) add_pair(row, "completion", use, conversation);
  if (shape == RowShape::instruction) add_instruction(row, use, conversation);
  check_one_system(conversation, has_column);
  check_said(conversation.messages);
  conversation.tools = normal_tools(row.value("tools"));
  if (use == RowUse::prompts) {
    keep_questions(conversation);
    check_said(conversation.messages);
  } else {
    check_answered(conversation.messages);
    mark_cut_answers(row, conversation);
  }
}

std::vector<RowNote> chat_notes(const Conversation& conversation) {
  std::vector<RowNote> notes;
  const Json& messages = conversation.messages;
  if (std::any_of(messages.begin(), messages.end(), ends_a_thought_never_begun)) {
    notes.push_back(RowNote::orphan_close_think);
  }
  if (std::ranges::find(conversation.trained, false) != conversation.trained.end()) {
    notes.push_back(RowNote::untrained_answers);
  }
  if (std::ranges::find(conversation.cut, true) != conversation.cut.end()) notes.push_back(RowNote::cut_answers);
  return notes;
}

}  // namespace dflash
