#include "common/data/prompts/prompt_file.h"

#include "common/base/format.h"
#include "common/base/one_line.h"

namespace dflash {
namespace {

std::string kind_of(const JsonRow& row) {
  const Json kind = row.value("kind");
  if (!kind.is_null() && !kind.is_string()) throw BadRow(DropReason::bad_message, "\"kind\" must be a string");
  return kind.is_null() ? "" : kind.get<std::string>();
}

}  // namespace

PromptFile::PromptFile(const std::string& path, std::optional<RowShape> shape)
    : path_(path), file_(path, shape, kLargestLineBytes, RowUse::prompts), parser_(RowUse::prompts) {}

bool PromptFile::next(PromptRow& row) {
  Line line;
  if (!file_.next(line)) return false;
  row.line_number = line.number;
  row.verdict = parser_.read(line, file_.shape());
  row.kind.clear();
  if (row.verdict.dropped) return true;
  try {
    row.kind = kind_of(parser_.row());
  } catch (const BadRow& bad) {
    row.verdict.dropped = bad.reason();
    row.verdict.detail = bad.what();
  }
  return true;
}

std::string prompt_row_error(const PromptFile& file, const PromptRow& row) {
  const DropReason reason = row.verdict.dropped.value();
  return format("{}:{}: {}: {}", file.path(), row.line_number, drop_reason_name(reason), one_line(row.verdict.detail));
}

}  // namespace dflash
