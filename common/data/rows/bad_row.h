// Why a row is left out: the reasons that the ledger counts, and the exception that carries one to where the line
// number is known. The last group is given by the stages behind the readers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace dflash {

enum class DropReason : uint8_t {
  bad_json,              // not JSON, not UTF-8, cut off
  not_an_object,         // JSON, but a list, a text, a number
  line_too_long,         // more than the largest line
  no_conversation,       // no field that holds one
  other_shape,           // of another shape than its file
  empty_conversation,    // no message, no token
  blank_conversation,    // nothing but white space
  no_assistant,          // nobody answers
  no_question,           // nobody asks: of rows that are prompts
  unknown_role,          // a speaker that no template knows
  bad_message,           // a message without content, an entry that is no message
  unsupported_content,   // images, numbers: not text
  bad_tools,             // tools that are no list of schemas
  bad_tool_call,         // a call that is no JSON
  bad_tokens,            // input_ids and loss_mask that do not fit each other or the vocabulary
  template_error,        // the chat template refuses the conversation
  too_long,              // more tokens than the limit, when long rows are not to be cut
  prompt_too_long,       // of prompts: leaves no room for an answer
  too_few_supervised,    // too little left to train on, after the cut
  mask_token_in_answer,  // would teach the drafter its own noise token
};
constexpr int kDropReasonCount = static_cast<int>(DropReason::mask_token_in_answer) + 1;

/// bad_json, no_assistant, ... as it stands in ledgers.
[[nodiscard]] const char* drop_reason_name(DropReason reason);
/// What the reason means, for a person: "nobody answers in it".
[[nodiscard]] const char* drop_reason_meaning(DropReason reason);

/// what() says what is wrong, and where in the row.
class BadRow : public std::runtime_error {
 public:
  BadRow(DropReason reason, const std::string& what) : std::runtime_error(what), reason_(reason) {}
  [[nodiscard]] DropReason reason() const { return reason_; }

 private:
  DropReason reason_;
};

}  // namespace dflash
