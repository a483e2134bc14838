#include "common/data/rows/question_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dflash {
namespace {

bool is_role(const Json& message, std::string_view role) {
  return message["role"].get_ref<const std::string&>() == role;
}

/// Of those that an assistant answers.
bool asks(const Json& message) {
  constexpr std::array<std::string_view, 4> kAsking{"user", "tool", "function", "ipython"};
  return std::ranges::any_of(kAsking, [&](std::string_view role) { return is_role(message, role); });
}

void drop_behind_last_question(Json& messages) {
  while (!messages.empty() && !asks(messages.back())) messages.erase(messages.size() - 1);
  if (messages.empty()) throw BadRow(DropReason::no_question, "no message of a user or a tool");
}

void put_later_questions_aside(Conversation& conversation) {
  Json kept = Json::array();
  bool asked = false;
  for (Json& message : conversation.messages) {
    const bool is_user = is_role(message, "user");
    if (is_user && asked) {
      conversation.later_questions.push_back(std::move(message));
    } else {
      kept.push_back(std::move(message));
    }
    asked |= is_user;
  }
  conversation.messages = std::move(kept);
}

}  // namespace

void keep_questions(Conversation& conversation) {
  Json& messages = conversation.messages;
  drop_behind_last_question(messages);
  const bool answered =
      std::any_of(messages.begin(), messages.end(), [](const Json& message) { return is_role(message, "assistant"); });
  if (!answered) put_later_questions_aside(conversation);
  conversation.trained.assign(messages.size(), true);
  conversation.cut.assign(messages.size(), false);
}

void keep_question_tokens(Conversation& conversation) {
  std::vector<uint8_t>& mask = conversation.loss_mask;
  const auto last = std::find(mask.rbegin(), mask.rend(), 1);
  const auto before = std::find(last, mask.rend(), 0);
  if (before == mask.rend()) {
    throw BadRow(DropReason::no_question, last == mask.rend()
                                              ? "no token is supervised: where the answer begins is not known"
                                              : "nothing stands before the supervised tokens");
  }
  conversation.input_ids.resize(static_cast<size_t>(mask.rend() - before));
  mask.clear();
}

}  // namespace dflash
