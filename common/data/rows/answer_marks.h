// What a row says about its answers besides their text: whether they may be trained on, and whether they were cut.
#pragma once

#include <string>

#include "common/data/rows/conversation.h"
#include "common/data/rows/json_row.h"

namespace dflash {

/// Whether the row lets a message be trained on: false when `weight`, `loss_weight` or `train` is 0 or false. Throws
/// BadRow{bad_message} for a weight that is neither 0 nor 1: losses have no weights per message here.
[[nodiscard]] bool is_trained(const Json& message, const std::string& where);

/// Fills conversation.cut from `finish_reason`, "length" for an answer that ended at a limit: a field of the answer, or
/// a column of the row with a word for each answer, or one word for the last answer. Throws BadRow{bad_message} when
/// the column has another number of words than there are answers.
void mark_cut_answers(const JsonRow& row, Conversation& conversation);

}  // namespace dflash
