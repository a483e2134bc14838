#include "common/data/answers/prompt_list.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {
namespace {

bool has_turns(RowShape shape) {
  return shape != RowShape::text && shape != RowShape::token_ids;
}

void check_turns(const PromptFile& file) {
  if (has_turns(file.shape())) return;
  throw Error(ErrorKind::input_file,
              format("{}: rows of {} have no turns that could be answered; give conversations or prompts", file.path(),
                     row_shape_name(file.shape())));
}

/// Counts the rows of a file and hashes them, each with its end.
int64_t hash_rows(const std::string& path, std::optional<RowShape> shape, Hasher& hasher) {
  RowFile file(path, shape, kLargestLineBytes, RowUse::prompts);
  int64_t rows = 0;
  for (Line line; file.next(line); ++rows) {
    hasher.add(std::as_bytes(std::span(line.text)));
    hasher.add(std::as_bytes(std::span("\n", 1)));
  }
  return rows;
}

}  // namespace

PromptList::PromptList(std::vector<std::string> paths, std::optional<RowShape> shape)
    : paths_(std::move(paths)), shape_(shape) {}

PromptFacts PromptList::facts() const {
  PromptFacts facts;
  Hasher hasher;
  int64_t rows = 0;
  const bool standard_input = std::ranges::find(paths_, "-") != paths_.end();
  for (const std::string& path : paths_) {
    if (path == "-") continue;
    const PromptFile file(path, shape_);
    check_turns(file);
    facts.descriptions.push_back(file.description());
    if (!standard_input) rows += hash_rows(path, shape_, hasher);
  }
  facts.hash = standard_input ? "standard input" : hash_hex(hasher.value());
  if (!standard_input) facts.rows = rows;
  return facts;
}

void PromptList::skip_to(int64_t number) {
  if (number > 0 && std::ranges::find(paths_, "-") != paths_.end()) {
    throw Error(ErrorKind::config,
                "standard input cannot be gone on with, since its first rows are gone; name files, or another output");
  }
  for (NumberedPrompt prompt; next_number_ < number && next(prompt);) {
  }
}

bool PromptList::next(NumberedPrompt& prompt) {
  for (; file_ != nullptr || next_file_ < paths_.size(); file_ = nullptr) {
    if (file_ == nullptr) {
      file_ = std::make_unique<PromptFile>(paths_[next_file_++], shape_);
      check_turns(*file_);
    }
    if (!file_->next(prompt.row)) continue;
    prompt.number = next_number_++;
    prompt.file = file_->path();
    return true;
  }
  return false;
}

}  // namespace dflash
