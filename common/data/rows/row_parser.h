// RowParser: one line of a file of rows -> its conversation, or why it is left out.
//
//   RowParser parser(RowUse::training);
//   const RowVerdict verdict = parser.read(line, file.shape());
//
// Threading: one thread each; many parsers may work on the lines of one file.
// Limits: time and memory grow with the line, not faster. Nothing of the user's data throws.
#pragma once

#include "common/data/rows/conversation.h"
#include "common/data/rows/json_row.h"
#include "common/data/rows/line_reader.h"
#include "common/data/rows/row_shape.h"

namespace dflash {

class RowParser {
 public:
  explicit RowParser(RowUse use = RowUse::training) : use_(use) {}

  /// A row of another shape than `shape` is left out; messages and conversations are taken for each other.
  [[nodiscard]] RowVerdict read(const Line& line, RowShape shape);

  /// The row that was read last and not dropped, for further fields; valid until the next one.
  [[nodiscard]] const JsonRow& row() const { return row_; }

 private:
  RowUse use_;
  JsonRow row_;
};

}  // namespace dflash
