// The shapes that hold a chat, made into one list of messages.
#pragma once

#include "common/data/rows/conversation.h"
#include "common/data/rows/json_row.h"
#include "common/data/rows/row_shape.h"
#include "common/data/rows/row_use.h"

namespace dflash {

/// Reads messages, tools, trained and cut of `row`, whose shape is one of the chats; of a prompt `later_questions` too.
/// Throws BadRow.
void read_chat(const JsonRow& row, RowShape shape, RowUse use, Conversation& conversation);

/// The notes of a conversation that was read.
[[nodiscard]] std::vector<RowNote> chat_notes(const Conversation& conversation);

}  // namespace dflash
