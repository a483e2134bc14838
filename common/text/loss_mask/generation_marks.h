// What {% generation %} blocks of a template mark beside the turn itself: published training templates mark the header
// of the turn, which nobody generates, or the white space behind its end.
//
//   const GenerationMarks marks = find_generation_marks(chat, options);
//   const GenerationMarkCounts counts = count_marked(marks, turns);
//
// Found by rendering a question and an answer. Nothing is put right: the template's word stands, and the ledger tells.
//
// Threading: functions only.
#pragma once

#include <cstdint>
#include <string>

#include "common/text/chat_template/assistant_turns.h"

namespace dflash {

struct GenerationMarks {
  std::string header;  ///< with which spans begin; empty: they begin with the answer
  std::string spaces;  ///< with which spans end, behind the end of the turn; empty: they end with it
};

struct GenerationMarkCounts {
  int64_t headers = 0;
  int64_t spaces = 0;
};

/// Nothing marked when the template has no generation blocks, or refuses the question.
[[nodiscard]] GenerationMarks find_generation_marks(const ChatTemplate& chat, const ChatOptions& options);

/// How many spans of a conversation begin or end so. None when they are not of generation blocks.
[[nodiscard]] GenerationMarkCounts count_marked(const GenerationMarks& marks, const AssistantTurns& turns);

}  // namespace dflash
