// A run of `dflash generate`: answers for all rows, as far as it gets.
#pragma once

#include "common/eval/answer_queue.h"
#include "deploy/model_cli/generate_settings.h"

namespace dflash {

struct GenerateResult {
  bool stopped = false;     // by a signal; everything up to the first row that is not done is written
  int64_t rows_before = 0;  // done by earlier runs
  AnswerCounts counts;
  RowLedger ledger;
};

/// Reads the prompts, answers them on all threads, appends to the output; shows progress on standard error. Error as
/// its parts; what was finished before is written.
[[nodiscard]] GenerateResult run_generate(const GenerateSettings& settings);

/// What became of the rows and how many answers there are, for a person and as JSON.
[[nodiscard]] std::string result_text(const GenerateResult& result);
[[nodiscard]] Json result_json(const GenerateResult& result);

}  // namespace dflash
