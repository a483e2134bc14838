#include "deploy/cli/json_rows.h"

#include <cstdio>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/rows/line_reader.h"
#include "common/data/rows/row_file.h"
#include "common/text/shown/visible_text.h"

namespace dflash {
namespace {

/// The answer, and whether it is an error.
std::pair<Json, bool> answer_line(const Line& line, const std::string& place,
                                  const std::function<Json(const Json&)>& answer) {
  try {
    if (line.too_long) throw Error(ErrorKind::input_file, format("{}: a line of more than 64 MiB", place));
    return {answer(parse_json(line.text, place)), false};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file) throw;
    return {Json{{"error", error.what()}}, true};
  }
}

size_t answer_file(const std::string& path, const std::function<Json(const Json&)>& answer) {
  const std::string name = path == "-" ? "standard input" : path;
  size_t errors = 0;
  LineReader lines(path);
  for (Line line; lines.next(line);) {
    if (!line.too_long && line.text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto [json, is_error] = answer_line(line, format("{}:{}", name, line.number), answer);
    errors += is_error ? 1 : 0;
    const std::string text = row_line(json);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  std::fflush(stdout);
  return errors;
}

}  // namespace

size_t answer_rows(const std::string& input, const std::function<Json(const Json&)>& answer) {
  size_t errors = 0;
  for (const std::string& path : expand_inputs({input})) errors += answer_file(path, answer);
  return errors;
}

std::string row_line(const Json& row) {
  return visible_json(row.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace)) + "\n";
}

std::string row_text(const Json& row, const std::string& key) {
  const auto place = row.is_object() ? row.find(key) : row.end();
  if (place == row.end() || !place->is_string()) {
    throw Error(ErrorKind::input_file, format("the row has no string '{}'", key));
  }
  return place->get<std::string>();
}

}  // namespace dflash
