#include "common/data/rows/row_file.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/rows/bad_row.h"

namespace dflash {
namespace {

constexpr size_t kMostFirstRows = 32;
constexpr size_t kMostFirstBytes = size_t{8} << 20;
constexpr size_t kMostShownBytes = 200;

bool is_blank_line(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool next_row(LineReader& reader, Line& line) {
  while (reader.next(line)) {
    if (line.too_long || !is_blank_line(line.text)) return true;
  }
  return false;
}

bool parses(JsonRow& row, std::string_view text) {
  try {
    row.parse(text);
    return true;
  } catch (const BadRow&) {
    return false;
  }
}

/// A list that goes on behind its first line, as in a .json file.
bool begins_a_list(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || text[first] != '[') return false;
  try {
    JsonRow().parse(text);
  } catch (const BadRow& bad) {
    return bad.reason() == DropReason::bad_json;
  }
  return false;
}

}  // namespace

RowFile::RowFile(const std::string& path, std::optional<RowShape> shape, size_t largest_line_bytes, RowUse use)
    : path_(path), reader_(path, largest_line_bytes) {
  keep_first_lines();
  if (!kept_.empty() && begins_a_list(kept_.front().text)) {
    throw Error(ErrorKind::input_file, format("{}: one JSON list, expected JSON lines (a row on each line); convert "
                                              "it: jq -c '.[]' {} > rows.jsonl",
                                              path_, path_));
  }
  if (shape) {
    shape_ = *shape;
    description_ = format("{}: rows are read as {}, as asked for", one_line(path_), row_shape_name(shape_));
  } else {
    find_shape(use);
  }
}

void RowFile::keep_first_lines() {
  Line line;
  size_t bytes = 0;
  while (kept_.size() < kMostFirstRows && bytes < kMostFirstBytes && next_row(reader_, line)) {
    bytes += line.text.size();
    kept_.push_back({line, std::string(line.text)});
  }
}

void RowFile::find_shape(RowUse use) {
  std::vector<int> rows_of_shape(kRowShapeCount, 0);
  JsonRow row;
  Json keys = Json::array();
  for (const KeptLine& kept : kept_) {
    if (!parses(row, kept.text)) continue;  // counted when the line is handed out
    if (keys.empty()) keys = row.keys();
    const std::vector<RowShape> shapes = shapes_of(row, use);
    if (!shapes.empty()) ++rows_of_shape[static_cast<size_t>(shapes.front())];
  }
  const auto most = std::ranges::max_element(rows_of_shape);
  if (*most > 0) {
    shape_ = static_cast<RowShape>(most - rows_of_shape.begin());
  } else if (kept_.size() == kMostFirstRows) {
    throw Error(ErrorKind::input_file,
                format("{}: none of the first {} rows has a known shape ({}); the first object has the fields {}",
                       path_, kept_.size(), row_shape_names(), json_line(keys, kMostShownBytes)));
  }
  describe_shape(rows_of_shape, *most);
}

void RowFile::describe_shape(const std::vector<int>& rows_of_shape, int rows) {
  if (rows == 0) {
    description_ = format("{}: no row of a known shape among its {} rows", one_line(path_), kept_.size());
    return;
  }
  description_ = format("{}: rows are read as {} ({} of the first {} have that shape)", one_line(path_),
                        row_shape_name(shape_), rows, kept_.size());
  for (int other = 0; other < kRowShapeCount; ++other) {
    const int count = rows_of_shape[static_cast<size_t>(other)];
    if (count == 0 || other == static_cast<int>(shape_)) continue;
    description_ += format("; {} look like {}", count, row_shape_name(static_cast<RowShape>(other)));
  }
}

bool RowFile::next(Line& line) {
  if (kept_.empty()) return next_row(reader_, line);
  line = kept_.front().line;
  given_ = std::move(kept_.front().text);
  line.text = given_;
  kept_.pop_front();
  return true;
}

}  // namespace dflash
