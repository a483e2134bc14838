// RowShape: the dress in which the rows of a file come, told by the names of their fields.
//
//   messages           messages: [{role, content, ...}], tools
//   conversations      conversations: [{from, value}] or [{role, content}], tools           (ShareGPT)
//   prompt_response    prompt, response
//   prompt_completion  prompt, completion: texts or lists of messages                       (TRL)
//   instruction        instruction, input, output, history                                  (Alpaca)
//   text               text: the chat template is applied already
//   token_ids          input_ids, loss_mask: tokenised already
//
// Rows that are prompts need no answer: `prompt`, `instruction` or `prompt_ids` alone will do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data/rows/json_row.h"
#include "common/data/rows/row_use.h"

namespace dflash {

enum class RowShape : uint8_t {
  messages,
  conversations,
  prompt_response,
  prompt_completion,
  instruction,
  text,
  token_ids,
};
constexpr int kRowShapeCount = static_cast<int>(RowShape::token_ids) + 1;

[[nodiscard]] const char* row_shape_name(RowShape shape);
/// The names, one comma between two: for help texts.
[[nodiscard]] std::string row_shape_names();
/// Error{config} that lists the names, for a name that is none.
[[nodiscard]] RowShape parse_row_shape(std::string_view name);

/// Every shape whose fields the row has, the one to take first: what is tokenised or written out in turns already goes
/// before what is not. Fields that are null count only when no shape has better ones.
[[nodiscard]] std::vector<RowShape> shapes_of(const JsonRow& row, RowUse use = RowUse::training);

}  // namespace dflash
