// MaskRules: what of a conversation may be learnt from.
//
// Threading: plain values and functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/text/chat_template/assistant_turns.h"

namespace dflash {

enum class Supervise : uint8_t {
  all_turns,   ///< everything the assistant produced
  last_turn,   ///< its last message alone; nothing when that was not found in the text
  everything,  ///< all tokens of the conversation
};

/// all_turns, last_turn, everything.
[[nodiscard]] const char* supervise_name(Supervise supervise);
/// Error{config} that lists the names, for a name that is none.
[[nodiscard]] Supervise parse_supervise(const std::string& name);

struct MaskRules {
  Supervise supervise = Supervise::all_turns;
  bool reasoning = true;        ///< false: thoughts and their marks (chat_template/turn_parts.h) are taken out
  std::vector<bool> trained{};  ///< for each message; false takes its turn out. Empty: all are trained on
  std::vector<bool> cut{};      ///< for each message; true takes out what was not said. Empty: none was cut
};

/// Whether something is taken out of turns.
[[nodiscard]] bool takes_parts_out(const MaskRules& rules);
/// Whether the places of turns are needed, also when generation blocks say what is the assistant's.
[[nodiscard]] bool needs_places(const MaskRules& rules);

struct SupervisedSpans {
  std::vector<CharacterSpan> spans;  ///< in order
  int64_t thoughts = 0;              ///< that were taken out
};

/// `turns` found with place_always when needs_places. What is taken out of a turn that generation blocks mark goes with
/// what they mark around it: of an untrained one the header too, of a cut one all behind its words. Throws
/// Error{input_file} when a turn of which something is to be taken out was not found in a text that is supervised
/// otherwise (generation blocks, everything).
[[nodiscard]] SupervisedSpans supervised_spans(const AssistantTurns& turns, const ChatTemplate& chat,
                                               const Json& messages, const ChatOptions& options,
                                               const MaskRules& rules);

}  // namespace dflash
