// Conversation: what a row says, whatever dress it came in; and RowVerdict: that, or why the row is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/data/rows/bad_row.h"

namespace dflash {

enum class ContentKind : uint8_t {
  chat,    // messages and tools, for the chat template
  text,    // the template is applied already
  tokens,  // tokenised already
};

struct Conversation {
  ContentKind kind = ContentKind::chat;
  /// chat: at least one object, one of them the assistant's; of a prompt those up to the question to be answered. Each
  /// has `role` (system, developer, user, assistant, tool, function, ipython) and `content` (a string); its other
  /// fields stand as in the row, except those that were null. The arguments of tool calls are objects.
  Json messages;
  /// chat: a list of schemas {"type": "function", "function": {...}}; null when there are none.
  Json tools;
  /// chat: for each message, whether the row lets it be trained on (`weight`, `loss_weight`, `train`).
  std::vector<bool> trained;
  /// chat: for each message, whether it is an answer that a limit cut (`finish_reason`): what the template writes
  /// behind it the model did not say.
  std::vector<bool> cut;
  /// chat, of a prompt: further messages of the user, each to be asked when the one before it is answered.
  std::vector<Json> later_questions;
  std::string text;                // text
  std::vector<int32_t> input_ids;  // tokens, not yet compared with a vocabulary
  std::vector<uint8_t> loss_mask;  // tokens: 0 or 1, as many
  std::string id;                  // "" when the row has none
};

/// Odd, but no reason to leave a row out; counted.
enum class RowNote : uint8_t {
  orphan_close_think,  // an answer ends a thought that it never began
  untrained_answers,   // answers that the row itself takes out of training
  cut_answers,         // answers that a limit cut
};
constexpr int kRowNoteCount = static_cast<int>(RowNote::cut_answers) + 1;
[[nodiscard]] const char* row_note_name(RowNote note);

struct RowVerdict {
  std::optional<DropReason> dropped;
  std::string detail;  // of a dropped row: what is wrong, and where in it
  Conversation conversation;
  std::vector<RowNote> notes;  // each at most once
};

}  // namespace dflash
