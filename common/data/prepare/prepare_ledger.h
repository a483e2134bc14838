// PrepareLedger: what became of the rows on their way to token ids and loss masks; RowLedger with the numbers of the
// stages behind the readers.
//
// Threading: one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/data/prepare/prepared_row.h"
#include "common/data/rows/row_ledger.h"

namespace dflash {

/// Counts by powers of two: place 0 holds 0, place n holds [2^(n-1), 2^n).
class PowerHistogram {
 public:
  void count(int64_t value);
  [[nodiscard]] int64_t at(size_t place) const { return counts_[place]; }
  /// [[first, last, count], ...] of the places that are not empty.
  [[nodiscard]] Json json() const;
  /// Error{checkpoint} for what json() never wrote.
  [[nodiscard]] static PowerHistogram from_json(const Json& json);
  /// A line with a bar for each place between the first and the last that are not empty.
  [[nodiscard]] std::string text() const;

 private:
  std::array<int64_t, 33> counts_{};
};

class PrepareLedger {
 public:
  /// Counts a row. `file` as the user named it.
  void count(const PreparedRow& row, const std::string& file);

  [[nodiscard]] const RowLedger& rows() const { return rows_; }
  [[nodiscard]] int64_t kept() const { return rows_.kept(); }
  [[nodiscard]] int64_t cut() const { return cut_; }
  [[nodiscard]] int64_t without_supervised() const { return without_supervised_; }
  [[nodiscard]] int64_t tokens() const { return tokens_; }
  [[nodiscard]] int64_t supervised_tokens() const { return supervised_tokens_; }
  [[nodiscard]] int64_t longest_row() const { return longest_row_; }
  [[nodiscard]] const TurnCounts& turns() const { return turns_; }
  [[nodiscard]] const PowerHistogram& histogram() const { return histogram_; }

  /// What RowLedger::json has, and "cut", "without_supervised", "tokens", "supervised_tokens", "longest_row",
  /// "supervised_per_row" (of kept rows), "text_rows", "turns". No times: the same rows give the same bytes.
  [[nodiscard]] Json json() const;
  /// The ledger that json() wrote. Error{checkpoint} for anything else.
  [[nodiscard]] static PrepareLedger from_json(const Json& json);
  /// For a person; `tokens_per_second` of this run, 0: not told.
  [[nodiscard]] std::string text(double tokens_per_second = 0) const;

 private:
  RowLedger rows_;
  int64_t cut_ = 0;                 // kept rows that lost their end
  int64_t without_supervised_ = 0;  // dropped rows without any supervised token
  int64_t tokens_ = 0;              // of kept rows
  int64_t supervised_tokens_ = 0;   // of kept rows
  int64_t longest_row_ = 0;         // tokens, of kept rows
  int64_t text_rows_ = 0;           // kept rows that came with their template applied
  TurnCounts turns_;                // of all rows that were rendered
  PowerHistogram histogram_;        // supervised tokens of kept rows
};

}  // namespace dflash
