#include "common/data/prepare/prepare_ledger.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

Json turns_json(const TurnCounts& turns) {
  return {{"supervised", turns.turns},
          {"rewritten", turns.rewritten},
          {"unplaced", turns.unplaced},
          {"generation_marks_header", turns.marked_headers},
          {"generation_marks_space", turns.marked_spaces},
          {"thoughts_taken_out", turns.thoughts},
          {"special_tokens_in_answers", turns.special_tokens},
          {"unwritten_calls", turns.unwritten_calls}};
}

TurnCounts turns_from(const Json& json) {
  TurnCounts turns;
  turns.turns = json.at("supervised");
  turns.rewritten = json.at("rewritten");
  turns.unplaced = json.at("unplaced");
  turns.marked_headers = json.at("generation_marks_header");
  turns.marked_spaces = json.at("generation_marks_space");
  turns.thoughts = json.at("thoughts_taken_out");
  turns.special_tokens = json.at("special_tokens_in_answers");
  turns.unwritten_calls = json.at("unwritten_calls");
  return turns;
}

double percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void PrepareLedger::count(const PreparedRow& row, const std::string& file) {
  RowVerdict verdict;
  verdict.dropped = row.dropped;
  verdict.detail = row.detail;
  verdict.notes = row.notes;
  rows_.count(verdict, file, row.line);
  if (row.dropped) {
    without_supervised_ += *row.dropped == DropReason::too_few_supervised && row.supervised == 0 ? 1 : 0;
    return;
  }
  const auto tokens = static_cast<int64_t>(row.input_ids.size());
  cut_ += row.cut ? 1 : 0;
  text_rows_ += row.kind == ContentKind::text ? 1 : 0;
  tokens_ += tokens;
  supervised_tokens_ += row.supervised;
  longest_row_ = std::max(longest_row_, tokens);
  supervised_per_row_.count(row.supervised);
  turns_.add(row.turns);
}

Json PrepareLedger::json() const {
  Json json = rows_.json();
  json["cut"] = cut_;
  json["without_supervised"] = without_supervised_;
  json["text_rows"] = text_rows_;
  json["tokens"] = tokens_;
  json["supervised_tokens"] = supervised_tokens_;
  json["longest_row"] = longest_row_;
  json["supervised_per_row"] = supervised_per_row_.json();
  json["turns"] = turns_json(turns_);
  return json;
}

PrepareLedger PrepareLedger::from_json(const Json& json) {
  PrepareLedger ledger;
  ledger.rows_ = RowLedger::from_json(json);
  try {
    ledger.cut_ = json.at("cut");
    ledger.without_supervised_ = json.at("without_supervised");
    ledger.text_rows_ = json.at("text_rows");
    ledger.tokens_ = json.at("tokens");
    ledger.supervised_tokens_ = json.at("supervised_tokens");
    ledger.longest_row_ = json.at("longest_row");
    ledger.turns_ = turns_from(json.at("turns"));
    ledger.supervised_per_row_ = PowerHistogram::from_json(json.at("supervised_per_row"));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::checkpoint, format("no ledger of prepared rows: {}", error.what()));
  }
  return ledger;
}

std::string PrepareLedger::text(double tokens_per_second) const {
  std::string text = rows_.text();
  text += format("  {:<22}{:>8}  kept rows that lost their end\n", "cut", cut_);
  text += format("  {:<22}{:>8}  rows left out that have no supervised token at all\n", "without_supervised",
                 without_supervised_);
  text += format("{} tokens, {} of them supervised ({:.1f} %), the longest row {}", tokens_, supervised_tokens_,
                 percent(supervised_tokens_, tokens_), longest_row_);
  if (tokens_per_second > 0) text += format("; {:.0f} tokens per second", tokens_per_second);
  text += "\n";
  if (kept() > 0) text += "supervised tokens in a row, and rows that have so many:\n" + supervised_per_row_.text();
  return text + warnings();
}

std::string PrepareLedger::warnings() const {
  std::string text;
  const auto tell = [&text](int64_t count, const char* what) {
    if (count > 0) text += format("  {} {}\n", count, what);
  };
  tell(text_rows_, "rows came as text: all of it is supervised, questions too");
  tell(turns_.thoughts, "thoughts are not supervised, as asked for");
  tell(turns_.rewritten,
       "turns are written in another way once more messages follow (thoughts, empty ones too, left out of earlier "
       "answers): trained "
       "on as they stand in the whole; rows that end with each answer would show it as it was said");
  tell(turns_.unplaced, "turns were not found in what the template made of them: not supervised");
  tell(turns_.marked_headers,
       "generation blocks of the template mark the header of the turn as well, which nobody generates");
  tell(turns_.marked_spaces,
       "generation blocks of the template mark white space behind the end of the turn, which nobody generates");
  tell(turns_.unwritten_calls, "answers are tool calls alone, which the template does not write: not supervised");
  tell(turns_.special_tokens, "answers hold the text of a special token: encoded as that token, and supervised");
  return text.empty() ? text : "to know:\n" + text;
}

}  // namespace dflash
