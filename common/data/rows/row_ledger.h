// RowLedger: what became of the rows, counted by reason, with the first examples of each reason.
//
// Threading: one thread; ledgers of several threads are added up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/data/rows/conversation.h"

namespace dflash {

class RowLedger {
 public:
  /// Counts a row that was read.
  void count(const RowVerdict& verdict, const std::string& file, int64_t line_number);
  /// A row that was counted as kept is left out by a later stage after all.
  void take_back(DropReason reason, const std::string& detail, const std::string& file, int64_t line_number);
  /// Adds what another ledger counted behind this one.
  void add(const RowLedger& later);

  [[nodiscard]] int64_t rows() const { return kept_ + dropped(); }
  [[nodiscard]] int64_t kept() const { return kept_; }
  [[nodiscard]] int64_t dropped() const;
  [[nodiscard]] int64_t dropped(DropReason reason) const { return of(reason).count; }
  [[nodiscard]] int64_t noted(RowNote note) const { return notes_[static_cast<size_t>(note)]; }

  /// {"rows", "kept", "dropped": {reason: {"count", "examples": [{"file", "line", "detail"}]}}, "notes": {note:
  /// count}}; reasons and notes that did not occur are not there.
  [[nodiscard]] Json json() const;
  /// The ledger that json() wrote; other keys are ignored. Error{checkpoint} for anything else.
  [[nodiscard]] static RowLedger from_json(const Json& json);
  /// For a person: a line for the sum, one for each reason with its share, three examples under it.
  [[nodiscard]] std::string text() const;

 private:
  struct Example {
    std::string file;
    int64_t line_number;
    std::string detail;
  };
  struct Dropped {
    int64_t count = 0;
    std::vector<Example> examples;  // the first three
  };

  [[nodiscard]] const Dropped& of(DropReason reason) const { return dropped_[static_cast<size_t>(reason)]; }
  void drop(DropReason reason, const std::string& detail, const std::string& file, int64_t line_number);

  int64_t kept_ = 0;
  std::array<Dropped, kDropReasonCount> dropped_;
  std::array<int64_t, kRowNoteCount> notes_{};
};

}  // namespace dflash
