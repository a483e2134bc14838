// Answers that are nothing but tool calls, for a template that writes no tool calls: of such an answer only the end of
// the turn is left, and to learn it would be to learn to say nothing.
//
// Threading: functions only.
#pragma once

#include <cstddef>
#include <vector>

#include "common/data/rows/conversation.h"
#include "common/text/chat_template/chat_template.h"

namespace dflash {

/// The numbers of those messages; none when the template writes the calls. Throws what rendering the conversation
/// throws.
[[nodiscard]] std::vector<size_t> find_unwritten_calls(const Conversation& conversation, const ChatTemplate& chat,
                                                       const ChatOptions& options);

}  // namespace dflash
