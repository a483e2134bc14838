// PromptFile: the prompts of a file of rows, in any shape that data/rows knows, one by one.
//
//   for (const std::string& path : expand_inputs(words)) {
//     PromptFile file(path);
//     say(file.description());
//     for (PromptRow row; file.next(row);) {
//       if (row.verdict.dropped) ... else encoder.encode(row.verdict, scratch);   // prompt_encoder.h
//     }
//   }
//
// A row that cannot be used has its reason in the verdict; whether that ends the run is for the caller to say.
//
// Threading: one thread.
// Limits: as RowFile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/data/rows/row_file.h"
#include "common/data/rows/row_parser.h"

namespace dflash {

struct PromptRow {
  int64_t line_number = 0;
  /// Read as RowUse::prompts: messages up to the question, tools, id, later_questions; or text; or input_ids, which may
  /// stand outside a model's vocabulary.
  RowVerdict verdict;
  std::string kind;  // the row's `kind`; "" when it has none
};

class PromptFile {
 public:
  /// "-" is standard input. `shape`: what the user said it is; else it is looked for. Error{input_file} as RowFile.
  explicit PromptFile(const std::string& path, std::optional<RowShape> shape = std::nullopt);

  /// The next row that is not blank. False at the end. Error{input_file} as LineReader.
  [[nodiscard]] bool next(PromptRow& row);

  [[nodiscard]] RowShape shape() const { return file_.shape(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// One line for a person: the file, its shape, and how that was found.
  [[nodiscard]] const std::string& description() const { return file_.description(); }

 private:
  std::string path_;
  RowFile file_;
  RowParser parser_;
};

/// "file:line: reason: why" on one line, for the row that ends a run.
[[nodiscard]] std::string prompt_row_error(const PromptFile& file, const PromptRow& row);

}  // namespace dflash
