#include "common/text/chat_template/prepare_messages.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr const char* kReasoningKeys[] = {"reasoning_content", "thinking", "reasoning"};

Json without_nulls(const Json& message) {
  Json result = Json::object();
  for (const auto& [key, value] : message.items()) {
    if (!value.is_null()) result[key] = value;
  }
  return result;
}

/// A copy of `thinking` that was not there comes first, as a template that prints a message shows it.
Json with_reasoning(Json message) {
  for (const char* key : kReasoningKeys) {
    if (!message.contains(key)) continue;
    const Json reasoning = message[key];
    Json result = Json::object();
    if (!message.contains("thinking")) result["thinking"] = reasoning;
    for (const auto& [name, value] : message.items()) result[name] = value;
    result["reasoning_content"] = reasoning;
    return result;
  }
  return message;
}

}  // namespace

Json prepare_messages(const Json& messages) {
  if (!messages.is_array()) throw Error(ErrorKind::input_file, "messages: expected a list of objects");
  Json result = Json::array();
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_object()) {
      throw Error(ErrorKind::input_file,
                  format("messages[{}]: expected an object, got {}", i, messages[i].type_name()));
    }
    result.push_back(with_reasoning(without_nulls(messages[i])));
  }
  return result;
}

}  // namespace dflash
