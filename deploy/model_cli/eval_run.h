// An evaluation: settings in, a text for every prompt and its verdict out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/eval/acceptance_report.h"

namespace dflash {

struct EvalSettings {
  std::string target;
  std::string drafter;
  std::string prompts;
  int64_t max_new_tokens = 256;
  std::optional<int64_t> block_size;  // default: the drafter's
  std::vector<int64_t> stop_tokens;   // default: the folder's
  std::string dtype = "float32";
  int threads = 0;             // 0: all cores
  bool show_progress = false;  // on standard error
};

struct EvalResult {
  std::vector<Prompt> prompts;
  DecodeLimits limits;
  std::vector<Decoded> decoded;
  AcceptanceReport report;
};

/// Decodes the prompts in groups, on `threads` threads: the same result for any number of threads.
[[nodiscard]] EvalResult run_eval(const EvalSettings& settings);

}  // namespace dflash
