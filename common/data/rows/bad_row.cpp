#include "common/data/rows/bad_row.h"

#include <array>

namespace dflash {
namespace {

struct ReasonText {
  const char* name;
  const char* meaning;
};

// In the order of the enum.
constexpr std::array<ReasonText, kDropReasonCount> kTexts{{
    {"bad_json", "the line is not JSON"},
    {"not_an_object", "the line is JSON, but no object"},
    {"line_too_long", "the line is longer than a line may be"},
    {"no_conversation", "no known field holds a conversation"},
    {"other_shape", "the row has another shape than its file"},
    {"empty_conversation", "there is no message in it"},
    {"blank_conversation", "there is nothing but white space in it"},
    {"no_assistant", "nobody answers in it"},
    {"no_question", "nobody asks in it"},
    {"unknown_role", "a speaker that is not known"},
    {"bad_message", "a message that cannot be understood"},
    {"unsupported_content", "content that is not text"},
    {"bad_tools", "tools that are no list of schemas"},
    {"bad_tool_call", "a tool call that cannot be understood"},
    {"bad_tokens", "token ids or a loss mask that cannot be used"},
    {"template_error", "the chat template refuses it"},
    {"too_long", "more tokens than the limit, and long rows were to be left out"},
    {"prompt_too_long", "the prompt leaves no room for an answer"},
    {"too_few_supervised", "too few supervised tokens are left after the cut"},
    {"mask_token_in_answer", "the mask token stands in an answer"},
}};

}  // namespace

const char* drop_reason_name(DropReason reason) {
  return kTexts[static_cast<size_t>(reason)].name;
}

const char* drop_reason_meaning(DropReason reason) {
  return kTexts[static_cast<size_t>(reason)].meaning;
}

}  // namespace dflash
