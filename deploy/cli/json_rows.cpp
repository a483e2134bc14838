#include "deploy/cli/json_rows.h"

#include <cstdio>
#include <fstream>
#include <iostream>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

/// The answer, and whether it is an error.
std::pair<Json, bool> answer_line(const std::string& line, const std::string& place,
                                  const std::function<Json(const Json&)>& answer) {
  try {
    return {answer(parse_json(line, place)), false};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file) throw;
    return {Json{{"error", error.what()}}, true};
  }
}

size_t answer_lines(std::istream& lines, const std::string& name, const std::function<Json(const Json&)>& answer) {
  size_t number = 0;
  size_t errors = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto [json, is_error] = answer_line(line, format("{}:{}", name, number), answer);
    errors += is_error ? 1 : 0;
    const std::string text = json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  std::fflush(stdout);
  return errors;
}

}  // namespace

size_t answer_rows(const std::string& input, const std::function<Json(const Json&)>& answer) {
  if (input == "-") return answer_lines(std::cin, "standard input", answer);
  const MappedFile exists(input);  // throws with the reason when it cannot be read
  std::ifstream file(input);
  return answer_lines(file, input, answer);
}

std::string row_text(const Json& row, const std::string& key) {
  const auto place = row.is_object() ? row.find(key) : row.end();
  if (place == row.end() || !place->is_string()) {
    throw Error(ErrorKind::input_file, format("the row has no string '{}'", key));
  }
  return place->get<std::string>();
}

}  // namespace dflash
