// One message as people write it, made into what chat templates take.
//
// role or from: human = user; gpt, chatgpt, bing, bard, bot, model = assistant; observation = tool; function_call = an
// assistant's turn whose text is the call. content or value: a string, null (empty), or a list of parts of text, which
// are joined. tool_calls: arguments written as JSON text become objects, as the serving engines do it. Fields that are
// null are left out, as transformers does it; all others stay.
#pragma once

#include <string>

#include "common/base/json.h"

namespace dflash {

/// `where` names the message in errors: "messages[3]". Throws BadRow: bad_message, unknown_role, unsupported_content,
/// bad_tool_call.
[[nodiscard]] Json normal_message(const Json& message, const std::string& where);

/// The text of a content: "" for null. Throws BadRow{unsupported_content} for what is not text.
[[nodiscard]] std::string content_text(const Json& content, const std::string& where);

}  // namespace dflash
