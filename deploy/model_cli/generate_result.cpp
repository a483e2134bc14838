#include "deploy/model_cli/generate_result.h"

#include "common/base/format.h"

namespace dflash {

std::string result_text(const GenerateResult& result) {
  const AnswerCounts& counts = result.counts;
  std::string text;
  if (result.rows_before > 0) text += format("{} rows were done before\n", result.rows_before);
  text += result.ledger.text();
  text += format("{} answers in {} rows, {} tokens\n", counts.answers, counts.rows_answered, counts.new_tokens);
  const auto note = [&text](int64_t count, const char* what) {
    if (count > 0) text += format("  noted: {} {}\n", count, what);
  };
  note(counts.cut_answers, "answers that a limit cut (finish_reason \"length\")");
  note(counts.rows_ended_early, "conversations that were not answered to their end (cut, tool result, no room)");
  note(counts.answers_with_special_tokens, "answers with special tokens, which their text lacks");
  return text;
}

Json result_json(const GenerateResult& result) {
  const AnswerCounts& counts = result.counts;
  Json json = result.ledger.json();
  json["rows_before"] = result.rows_before;
  json["rows_answered"] = counts.rows_answered;
  json["answers"] = counts.answers;
  json["new_tokens"] = counts.new_tokens;
  json["cut_answers"] = counts.cut_answers;
  json["rows_ended_early"] = counts.rows_ended_early;
  json["answers_with_special_tokens"] = counts.answers_with_special_tokens;
  json["stopped"] = result.stopped;
  return json;
}

}  // namespace dflash
