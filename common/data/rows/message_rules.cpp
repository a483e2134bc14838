#include "common/data/rows/message_rules.h"

#include <algorithm>
#include <array>

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/rows/bad_row.h"
#include "common/data/rows/tool_rules.h"

namespace dflash {
namespace {

constexpr size_t kMostShownBytes = 60;

struct RoleName {
  std::string_view written;
  const char* role;
};
constexpr std::array<RoleName, 16> kRoles{{{"user", "user"},
                                           {"assistant", "assistant"},
                                           {"system", "system"},
                                           {"tool", "tool"},
                                           {"developer", "developer"},
                                           {"function", "function"},
                                           {"ipython", "ipython"},
                                           {"human", "user"},
                                           {"gpt", "assistant"},
                                           {"chatgpt", "assistant"},
                                           {"bing", "assistant"},
                                           {"bard", "assistant"},
                                           {"bot", "assistant"},
                                           {"model", "assistant"},
                                           {"observation", "tool"},
                                           {"function_call", "assistant"}}};

std::string shown(const Json& value) {
  return json_line(value, kMostShownBytes);
}

/// The field under its usual name, else under ShareGPT's; null when there is neither.
const Json& either(const Json& message, const char* usual, const char* sharegpt) {
  static const Json none;
  const auto found = message.contains(usual) ? message.find(usual) : message.find(sharegpt);
  return found == message.end() ? none : *found;
}

/// {"type": "text", "text": ...}; LLaMA-Factory writes value instead of text.
std::string part_text(const Json& part, const std::string& where) {
  const Json& type = either(part, "type", "type");
  const Json& text = either(part, "text", "value");
  if ((type != "text" && type != "input_text" && type != "output_text") || !text.is_string()) {
    throw BadRow(DropReason::unsupported_content, format("{} is no part of text: {}", where, shown(part)));
  }
  return text.get<std::string>();
}

bool has_value(const Json& message, const char* key) {
  return message.contains(key) && !message[key].is_null();
}

/// A message may lack its content only when it says something in another way.
void check_content(const Json& message, const std::string& where) {
  if (message.contains("content") || message.contains("value")) return;
  for (const char* other : {"tool_calls", "reasoning_content", "reasoning", "thinking"}) {
    if (has_value(message, other)) return;
  }
  throw BadRow(DropReason::bad_message, format("{} has no content: {}", where, shown(message)));
}

/// Puts one field of the row's message into the normal one.
void take_field(const std::string& key, const Json& value, const std::string& where, Json& normal) {
  if (value.is_null() || normal.contains(key)) return;
  if (key != "tool_calls") {
    normal[key] = value;
    return;
  }
  Json calls = normal_tool_calls(value, where);
  if (!calls.empty()) normal[key] = std::move(calls);
}

bool is_name_of_role_or_content(const std::string& key) {
  return key == "role" || key == "from" || key == "content" || key == "value";
}

}  // namespace

std::string content_text(const Json& content, const std::string& where) {
  if (content.is_null()) return "";
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) {
    throw BadRow(DropReason::unsupported_content,
                 format("{} is neither text nor a list of parts: {}", where, shown(content)));
  }
  std::string text;
  for (size_t i = 0; i < content.size(); ++i) text += part_text(content[i], format("{}[{}]", where, i));
  return text;
}

Json normal_message(const Json& message, const std::string& where) {
  if (!message.is_object()) throw BadRow(DropReason::bad_message, format("{} is no object: {}", where, shown(message)));
  const Json& written = either(message, "role", "from");
  if (!written.is_string()) throw BadRow(DropReason::bad_message, format("{} has no role: {}", where, shown(message)));
  const auto known = std::ranges::find(kRoles, written.get_ref<const std::string&>(), &RoleName::written);
  if (known == kRoles.end()) {
    throw BadRow(DropReason::unknown_role, format("{} is said by {}", where, shown(written)));
  }
  check_content(message, where);
  std::string text = content_text(either(message, "content", "value"), where + ".content");
  Json normal{{"role", known->role}, {"content", ""}};
  if (written == "function_call") {
    normal["tool_calls"] = spoken_tool_calls(text, where);
  } else {
    normal["content"] = std::move(text);
  }
  for (const auto& [key, value] : message.items()) {
    if (!is_name_of_role_or_content(key)) take_field(key, value, where, normal);
  }
  return normal;
}

}  // namespace dflash
