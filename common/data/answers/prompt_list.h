// PromptList: the prompts of many files as one list, its rows numbered through from 0.
//
//   PromptList prompts(expand_inputs(words), shape);
//   prompts.skip_to(file.next_row());
//   for (NumberedPrompt prompt; prompts.next(prompt);) ...
//
// A row that cannot be used has a number too: a row's number depends on the files alone.
//
// Threading: one thread. Owns: the open file.
// Limits: as PromptFile. Files are read twice, but for standard input: to count and to hash their rows, then to use
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/data/prompts/prompt_file.h"

namespace dflash {

struct NumberedPrompt {
  int64_t number = 0;
  std::string file;
  PromptRow row;
};

/// What is known before the first row is used.
struct PromptFacts {
  std::optional<int64_t> rows;            // of all files; nothing with standard input
  std::string hash;                       // of all rows in their order; "standard input" with that
  std::vector<std::string> descriptions;  // of each file: its shape, and how that was found
};

class PromptList {
 public:
  /// `paths` as expand_inputs gives them.
  PromptList(std::vector<std::string> paths, std::optional<RowShape> shape);

  /// Reads all files but standard input. Error{input_file} as PromptFile, and for a file of ready text or token ids,
  /// which has no turns.
  [[nodiscard]] PromptFacts facts() const;

  /// Steps over the rows before `number`. Error{config} for standard input, which cannot be read again.
  void skip_to(int64_t number);
  /// False at the end of the last file. Error{input_file} as PromptFile.
  [[nodiscard]] bool next(NumberedPrompt& prompt);
  /// The number that the next row will have.
  [[nodiscard]] int64_t next_number() const { return next_number_; }

 private:
  std::vector<std::string> paths_;
  std::optional<RowShape> shape_;
  size_t next_file_ = 0;
  int64_t next_number_ = 0;
  std::unique_ptr<PromptFile> file_;
};

}  // namespace dflash
