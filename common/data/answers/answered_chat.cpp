#include "common/data/answers/answered_chat.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dflash {
namespace {

bool is_role(const Json& message, std::string_view role) {
  return message["role"].get_ref<const std::string&>() == role;
}

bool is_tool_result(const Json& message) {
  constexpr std::array<std::string_view, 3> kResults{"tool", "function", "ipython"};
  return std::ranges::any_of(kResults, [&](std::string_view role) { return is_role(message, role); });
}

}  // namespace

AnsweredChat::AnsweredChat(const Json& messages, const std::vector<Json>& later_questions) {
  Json question = Json::array();
  for (const Json& message : messages) {
    if (is_tool_result(message)) {
      ended_early_ = true;
      break;
    }
    if (is_role(message, "assistant")) {
      add_question(question);
    } else {
      question.push_back(message);
    }
  }
  add_question(question);
  if (!ended_early_) {
    for (const Json& later : later_questions) questions_.push_back(Json::array({later}));
  }
  ask();
}

/// Adds `question` and empties it, if a user speaks in it.
void AnsweredChat::add_question(Json& question) {
  if (std::none_of(question.begin(), question.end(), [](const Json& message) { return is_role(message, "user"); })) {
    return;
  }
  questions_.push_back(std::move(question));
  question = Json::array();
}

void AnsweredChat::ask() {
  if (questions_.empty()) return;
  for (const Json& message : questions_.front()) messages_.push_back(message);
}

void AnsweredChat::answer(std::string text, bool cut) {
  messages_.push_back(
      {{"role", "assistant"}, {"content", std::move(text)}, {"finish_reason", cut ? "length" : "stop"}});
  answered_messages_ = messages_.size();
  ++answers_;
  questions_.pop_front();
  if (cut && !questions_.empty()) {
    end_early();
  } else {
    ask();
  }
}

void AnsweredChat::end_early() {
  questions_.clear();
  ended_early_ = true;
}

Json AnsweredChat::answered() const {
  Json answered = Json::array();
  for (size_t i = 0; i < answered_messages_; ++i) answered.push_back(messages_[i]);
  return answered;
}

}  // namespace dflash
