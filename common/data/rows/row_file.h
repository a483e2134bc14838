// RowFile: a file of rows, its shape found out from its first rows, and its lines.
//
//   for (const std::string& path : expand_inputs(patterns)) {
//     RowFile file(path);
//     say(file.description());
//     for (Line line; file.next(line);) ledger.count(parser.read(line, file.shape()), path, line.number);
//   }
//
// Threading: one thread; what it hands out may be parsed by others as long as the line is kept.
// Limits: to find the shape it keeps the first 32 rows, or as many as fit into 8 MiB.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/data/rows/line_reader.h"
#include "common/data/rows/row_shape.h"

namespace dflash {

/// The files that the user's words name, in the order of the words: "-" (standard input, once), a file, or a pattern of
/// the shell (* ? [...] {a,b}), whose files come in the order of their bytes, without folders. Error{input_file} for a
/// word that names nothing, or a folder.
[[nodiscard]] std::vector<std::string> expand_inputs(const std::vector<std::string>& words);

class RowFile {
 public:
  /// `shape`: what the user said it is; else it is looked for. Error{input_file} as LineReader, for a file that is one
  /// JSON list, and for one whose first 32 rows have no known shape.
  explicit RowFile(const std::string& path, std::optional<RowShape> shape = std::nullopt,
                   size_t largest_line_bytes = kLargestLineBytes, RowUse use = RowUse::training);

  /// The next line that is not blank; its number counts blank ones. False at the end. Error{input_file} as LineReader.
  [[nodiscard]] bool next(Line& line);

  /// As ByteSource::file_bytes; it reads ahead of the lines.
  [[nodiscard]] uint64_t file_bytes() const { return reader_.file_bytes(); }
  /// Of a short file without any row of a known shape: messages.
  [[nodiscard]] RowShape shape() const { return shape_; }
  /// One line for a person: the file, its shape, and how that was found.
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  struct KeptLine {
    Line line;
    std::string text;
  };

  void keep_first_lines();
  void find_shape(RowUse use);
  void describe_shape(const std::vector<int>& rows_of_shape, int rows);

  std::string path_;
  LineReader reader_;
  std::deque<KeptLine> kept_;  // read ahead, not yet handed out
  std::string given_;          // the text of the kept line that was handed out last
  RowShape shape_ = RowShape::messages;
  std::string description_;
};

}  // namespace dflash
