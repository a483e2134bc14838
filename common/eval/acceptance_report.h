// Acceptance statistics of an evaluation, pooled over verification passes, in all and by kind of prompt.
//
//   acceptance length   committed tokens per verification pass, with the bonus token
//   accepted tokens     drafted tokens that were committed, without the bonus token
//   target passes       verification passes (the pass over the prompt is not one); plain greedy decoding would need one
//                       pass for every committed token
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/eval/greedy_check.h"
#include "common/eval/prompts.h"

namespace dflash {

struct AcceptanceCounts {
  int64_t prompts = 0;
  int64_t target_passes = 0;
  int64_t committed_tokens = 0;
  int64_t accepted_tokens = 0;

  void add(const Decoded& decoded);
  /// 0 when there was no pass.
  [[nodiscard]] double acceptance_length() const;
};

struct AcceptanceReport {
  AcceptanceCounts all;
  std::map<std::string, AcceptanceCounts> by_kind;
  std::vector<int64_t> histogram;  // [k-1]: passes that committed k tokens, k = 1..block size
  int64_t near_ties = 0;
  int64_t differences = 0;

  void add(const Prompt& prompt, const Decoded& decoded, GreedyVerdict verdict);
  [[nodiscard]] bool lossless() const { return differences == 0; }
};

/// Of no prompt: with a histogram for blocks of that size.
[[nodiscard]] AcceptanceReport empty_report(int64_t block_size);
[[nodiscard]] AcceptanceReport make_report(const std::vector<Prompt>& prompts, const std::vector<Decoded>& decoded,
                                           const std::vector<GreedyVerdict>& verdicts, int64_t block_size);

/// acceptance_length, accepted_tokens, by_kind, histogram, target_passes, prompts, lossless, near_ties.
[[nodiscard]] Json report_json(const AcceptanceReport& report);
/// A table: a line for each kind, and one in all. The line of kind "all" alone, of prompts without a kind, is left out.
[[nodiscard]] std::string counts_table(const AcceptanceReport& report);
/// The report for a person: that table, a histogram, target passes saved, the verdict.
[[nodiscard]] std::string report_text(const AcceptanceReport& report);
/// The list of runs in the form of golden/drafter/12_decode/trace.json.
[[nodiscard]] Json trace_json(const std::vector<Decoded>& decoded, const DecodeLimits& limits);

}  // namespace dflash
