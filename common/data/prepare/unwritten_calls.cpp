#include "common/data/prepare/unwritten_calls.h"

#include "common/text/chat_template/prepare_messages.h"

namespace dflash {
namespace {

constexpr const char* kCalls = "tool_calls";

bool holds_calls(const Json& message) {
  return message.contains(kCalls) && message.at(kCalls).is_array() && !message.at(kCalls).empty();
}

bool says_nothing(const Json& message) {
  const Json content = message.value("content", Json());
  return !content.is_string() ||
         content.get_ref<const std::string&>().find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

std::vector<size_t> find_unwritten_calls(const Conversation& conversation, const ChatTemplate& chat,
                                         const ChatOptions& options) {
  std::vector<size_t> found;
  Json without = conversation.messages;
  for (size_t i = 0; i < without.size(); ++i) {
    if (!holds_calls(without[i])) continue;
    if (says_nothing(without[i])) found.push_back(i);
    without[i].erase(kCalls);
  }
  if (found.empty()) return found;
  const std::string whole = chat.render(prepare_messages(conversation.messages), options).text;
  try {
    if (chat.render(prepare_messages(without), options).text != whole) found.clear();
  } catch (const TemplateError&) {
    found.clear();  // it looks for the calls
  }
  return found;
}

}  // namespace dflash
