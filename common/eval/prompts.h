// Prompts of an evaluation, out of files of rows: ready token ids ({"prompt_ids": [int...]}) or raw ones in any shape
// of data/rows, rendered and encoded with the target's own files; "id" and "kind" are optional.
//
//   PromptReader reader({.model = target}, vocab_size);
//   for (const std::string& path : expand_inputs(words)) reader.read(path, {}, prompts);
//
// Threading: one thread.
// Owns: the encoder, which is read when the first raw row comes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/data/prompts/prompt_encoder.h"
#include "common/data/prompts/prompt_file.h"

namespace dflash {

struct Prompt {
  std::vector<int64_t> ids;
  std::string kind;             // "all" when the row names none
  size_t file = 0;              // which of the files that were read
  std::string id{};             // "" when the row names none
  std::string where{};          // file:line
  Conversation conversation{};  // of a chat: what the ids were rendered from, and what is asked next
};

struct PromptFileOptions {
  std::optional<RowShape> shape;        // default: looked for
  std::optional<int64_t> most_prompts;  // default: all
};

class PromptReader {
 public:
  PromptReader(PromptEncoderFiles files, int64_t vocab_size) : files_(std::move(files)), vocab_size_(vocab_size) {}

  /// Adds the prompts of a file to `prompts` and returns the line that says what the file is. Error{input_file}
  /// "file:line: why" for the first row that is not usable: an evaluation on part of a set is not one.
  std::string read(const std::string& path, const PromptFileOptions& options, std::vector<Prompt>& prompts);

  /// The prompt that asks the next of the row's later questions, behind the answer that `prompt` got; nothing when
  /// there is none. Error{input_file} as read.
  [[nodiscard]] std::optional<Prompt> next_question(const Prompt& prompt, std::span<const int64_t> answer_ids);

  /// Reads the tokenizer when no raw row has needed it. Error{input_file} when there is none.
  [[nodiscard]] const Tokenizer& tokenizer();

 private:
  Prompt make_prompt(const PromptFile& file, PromptRow& row);
  [[nodiscard]] std::vector<int64_t> checked_ids(const Conversation& conversation, const std::string& where) const;
  const PromptEncoder& encoder();

  PromptEncoderFiles files_;
  int64_t vocab_size_;
  size_t files_read_ = 0;
  std::optional<PromptEncoder> encoder_;
  std::optional<Tokenizer> tokenizer_;  // when there is no encoder
  TokenizerScratch scratch_;
};

}  // namespace dflash
