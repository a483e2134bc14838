// Rows of JSON, one a line, from files as all commands read them; answers to standard output.
#pragma once

#include <functional>
#include <string>

#include "common/base/json.h"

namespace dflash {

/// Prints `answer(row)` as one line of JSON for each line of `input` that is not empty: a file or a pattern, plain,
/// .gz, .zst or Parquet, or "-", standard input. A row that is no JSON, or whose answer throws an Error{input_file},
/// gets
/// {"error": ...} instead. Returns how many did. Error{input_file} for a file that cannot be read to its end.
size_t answer_rows(const std::string& input, const std::function<Json(const Json&)>& answer);

/// A row as a line of JSON, with its end: control characters of the data stand in it as escapes, so that they do not
/// reach a terminal.
[[nodiscard]] std::string row_line(const Json& row);

/// The string `key` of a row. Error{input_file} when it has none.
[[nodiscard]] std::string row_text(const Json& row, const std::string& key);

}  // namespace dflash
