// PrepareLedger: what became of the rows on their way to token ids and loss masks: RowLedger, with the numbers of the
// stages behind the readers.
//
// Threading: one thread.
#pragma once

#include <cstdint>
#include <string>

#include "common/data/prepare/power_histogram.h"
#include "common/data/prepare/prepared_row.h"
#include "common/data/rows/row_ledger.h"

namespace dflash {

class PrepareLedger {
 public:
  /// Counts a row. `file` as the user named it.
  void count(const PreparedRow& row, const std::string& file);

  /// Its notes are those of rows that are kept to the end.
  [[nodiscard]] const RowLedger& rows() const { return rows_; }
  [[nodiscard]] int64_t kept() const { return rows_.kept(); }
  [[nodiscard]] int64_t cut() const { return cut_; }
  [[nodiscard]] int64_t without_supervised() const { return without_supervised_; }
  [[nodiscard]] int64_t text_rows() const { return text_rows_; }
  [[nodiscard]] int64_t tokens() const { return tokens_; }
  [[nodiscard]] int64_t supervised_tokens() const { return supervised_tokens_; }
  [[nodiscard]] int64_t longest_row() const { return longest_row_; }
  [[nodiscard]] const TurnCounts& turns() const { return turns_; }
  [[nodiscard]] const PowerHistogram& supervised_per_row() const { return supervised_per_row_; }

  /// What RowLedger::json has, then cut, without_supervised, text_rows, tokens, supervised_tokens, longest_row,
  /// supervised_per_row and turns. No times: the same rows give the same bytes.
  [[nodiscard]] Json json() const;
  /// The ledger that json() wrote. Error{checkpoint} for anything else.
  [[nodiscard]] static PrepareLedger from_json(const Json& json);
  /// For a person, with the warnings. `tokens_per_second`: of this run; 0 is not told.
  [[nodiscard]] std::string text(double tokens_per_second = 0) const;

 private:
  [[nodiscard]] std::string warnings() const;

  RowLedger rows_;
  int64_t cut_ = 0;                 // kept rows that lost their end
  int64_t without_supervised_ = 0;  // rows left out that have not one supervised token
  int64_t text_rows_ = 0;           // kept rows whose template was applied already
  int64_t tokens_ = 0;              // of kept rows, as the next three
  int64_t supervised_tokens_ = 0;
  int64_t longest_row_ = 0;
  PowerHistogram supervised_per_row_;
  TurnCounts turns_;  // of kept rows
};

}  // namespace dflash
