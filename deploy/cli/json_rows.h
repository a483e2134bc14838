// Rows of JSON, one a line, from a file or from standard input; answers to standard output.
#pragma once

#include <functional>
#include <string>

#include "common/base/json.h"

namespace dflash {

/// Prints `answer(row)` as one line of JSON for each line of `input` ("-": standard input) that is not empty. A row
/// that is no JSON, or whose answer throws an Error{input_file}, gets {"error": ...} instead. Returns how many did.
size_t answer_rows(const std::string& input, const std::function<Json(const Json&)>& answer);

/// The string `key` of a row. Error{input_file} when it has none.
[[nodiscard]] std::string row_text(const Json& row, const std::string& key);

}  // namespace dflash
