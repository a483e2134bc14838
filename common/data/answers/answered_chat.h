// AnsweredChat: a conversation whose questions are asked one by one, each behind the answers given to those before it;
// answers that the row brought are not used.
//
//   AnsweredChat chat(conversation);
//   while (chat.is_asking()) chat.answer(words_of_the_target(chat.messages()), /*cut=*/false);
//   write(chat.answered());
//
// A question is everything up to an answer of the row, or the end, with a message of the user in it: system messages go
// along. An assistant's turn before the first message of a user is left out. The conversation ends early
//   at the first result of a tool (tool, function, ipython): it belongs to a call that may not be made again; the
//   answer before it is given,
//   behind an answer that a limit cut: the target would not go on from there,
//   where the caller says so.
//
// Threading: one thread. Owns: the messages.
#pragma once

#include <deque>
#include <string>

#include "common/data/rows/conversation.h"

namespace dflash {

class AnsweredChat {
 public:
  /// `messages`: as a Conversation holds them; `later_questions`: messages of the user, each a question of its own.
  AnsweredChat(const Json& messages, const std::vector<Json>& later_questions);

  /// True while there is a question to be answered.
  [[nodiscard]] bool is_asking() const { return !questions_.empty(); }
  /// Everything so far, the question to be answered at the end.
  [[nodiscard]] const Json& messages() const { return messages_; }
  /// The target's words, without the token that ends them; `cut`: a limit ended them.
  void answer(std::string text, bool cut);
  /// The question is not asked, nor those behind it.
  void end_early();

  [[nodiscard]] int64_t answers() const { return answers_; }
  [[nodiscard]] bool ended_early() const { return ended_early_; }
  /// Up to the last answer. Answers have `finish_reason`: stop or length.
  [[nodiscard]] Json answered() const;

 private:
  void add_question(Json& question);
  void ask();

  std::deque<Json> questions_;  // lists of messages; the first one is asked
  Json messages_ = Json::array();
  size_t answered_messages_ = 0;
  int64_t answers_ = 0;
  bool ended_early_ = false;
};

}  // namespace dflash
