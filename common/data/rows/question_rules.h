// What of a conversation is a prompt.
#pragma once

#include "common/data/rows/conversation.h"

namespace dflash {

/// Drops the messages behind the last one of a user or a tool (function, ipython). When there is no answer at all, the
/// user's messages behind the first go to `later_questions`. `trained` and `cut` fit what is left. Throws
/// BadRow{no_question}.
void keep_questions(Conversation& conversation);

/// Of token ids: drops them from the last run of supervised ones on, and the mask. Throws BadRow{no_question} when none
/// is supervised, or nothing stands before them.
void keep_question_tokens(Conversation& conversation);

}  // namespace dflash
