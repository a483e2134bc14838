// AnswerFile: rows of answers in one file of JSON lines, in the order of their prompts, whatever the order in which
// they are done; and a run that was stopped or killed goes on in it.
//
//   AnswerFile file("answers.jsonl", settings);
//   for (int64_t row = file.next_row(); ...; ++row) file.put(row, line, ...);
//   file.flush();
//
// Every line holds `row`, the number of its prompt: behind that of the last whole line a run goes on; a line that was
// half written is cut off. What a line depends on stands in FILE.settings.json beside it, and a run with other settings
// is refused.
//
// Threading: one thread at a time. Owns: the open file, and lines that wait for an earlier row.
// Limits: a path that is no regular file (/dev/stdout, a pipe) is written from the first row on, without settings.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/base/json.h"
#include "common/base/scoped_descriptor.h"

namespace dflash {

class AnswerFile {
 public:
  /// `settings`: an object of plain values by name, everything that the lines depend on. Makes the file when there is
  /// none. Error{config} when it was begun with other settings, when its settings are missing, and when another process
  /// writes it; Error{input_file} when its last line is none of ours; as throw_write_error.
  AnswerFile(std::filesystem::path path, const Json& settings);

  /// The first row that has not been done.
  [[nodiscard]] int64_t next_row() const { return next_row_; }
  /// Lines of earlier runs.
  [[nodiscard]] int64_t lines_before() const { return lines_before_; }

  /// Row `row` is done; `line` without its end, or empty when the row has none. It is written once all rows before it
  /// are done. As throw_write_error.
  void put(int64_t row, std::string line);
  /// Everything that could be written is on the disk. As throw_write_error.
  void flush();

 private:
  void go_on();

  std::filesystem::path path_;
  ScopedDescriptor file_;
  int64_t next_row_ = 0;
  int64_t lines_before_ = 0;
  std::map<int64_t, std::string> waiting_;
};

}  // namespace dflash
