// PreparedRow: one row of a file as token ids and loss mask, or why it is left out, with what the ledger counts of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/data/rows/conversation.h"

namespace dflash {

/// What the template did with the turns of conversations.
struct TurnCounts {
  int64_t turns = 0;           ///< of the assistant, that stand in the text
  int64_t rewritten = 0;       ///< written in another way once more messages follow
  int64_t unplaced = 0;        ///< not found; not supervised
  int64_t marked_headers = 0;  ///< {% generation %} spans that begin with the header of the turn
  int64_t marked_spaces = 0;   ///< {% generation %} spans that go on behind the end of the turn, with white space
  int64_t thoughts = 0;        ///< taken out of the mask
  int64_t special_tokens = 0;  ///< answers in which the text of a special token stands: encoded as that token
  int64_t unwritten_calls =
      0;  ///< answers that are tool calls alone, which the template does not write; not supervised

  void add(const TurnCounts& other) {
    turns += other.turns;
    rewritten += other.rewritten;
    unplaced += other.unplaced;
    marked_headers += other.marked_headers;
    marked_spaces += other.marked_spaces;
    thoughts += other.thoughts;
    special_tokens += other.special_tokens;
    unwritten_calls += other.unwritten_calls;
  }
  bool operator==(const TurnCounts&) const = default;
};

struct PreparedRow {
  int64_t line = 0;  ///< its number in the file
  ContentKind kind = ContentKind::chat;
  std::vector<RowNote> notes;
  std::optional<DropReason> dropped;
  std::string detail;              ///< of a dropped row
  std::vector<int32_t> input_ids;  ///< empty when dropped
  std::vector<uint8_t> loss_mask;  ///< 0 or 1, as many
  int64_t supervised = 0;          ///< ones in the mask, after the cut; of dropped rows too
  bool cut = false;                ///< lost its end
  TurnCounts turns;
};

}  // namespace dflash
