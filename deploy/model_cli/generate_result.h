// What a run of `dflash generate` came to.
//
// Threading: plain values and functions.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/json.h"
#include "common/data/rows/row_ledger.h"
#include "common/eval/answer_queue.h"

namespace dflash {

struct GenerateResult {
  bool stopped = false;     // by a signal; everything up to the first row that is not done is written
  int64_t rows_before = 0;  // done by earlier runs
  AnswerCounts counts;
  RowLedger ledger;
};

/// What became of the rows and how many answers there are, for a person and as JSON.
[[nodiscard]] std::string result_text(const GenerateResult& result);
[[nodiscard]] Json result_json(const GenerateResult& result);

}  // namespace dflash
