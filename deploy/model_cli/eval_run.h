// An evaluation: settings in, a text for every prompt and its verdict out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/eval/file_reports.h"
#include "common/text/chat_template/fixed_clock.h"

namespace dflash {

struct EvalSettings {
  std::string target;
  std::string drafter;
  std::vector<std::string> prompts;  // files, patterns, or - for standard input
  std::string tokenizer;             // default: the target's
  std::string chat_template;         // default: the target's
  Json template_variables = Json::object();
  std::string now = kUsualTime;  // the time that templates see
  PromptFileOptions prompt_files;
  int64_t max_new_tokens = 256;
  std::optional<int64_t> block_size;  // default: the drafter's
  std::vector<int64_t> stop_tokens;   // default: the folder's
  std::string dtype = "float32";
  int threads = 0;             // 0: all cores
  size_t shown_texts = 0;      // how many texts are wanted to look at
  bool show_progress = false;  // on standard error
};

struct EvalResult {
  /// In the order of the files and their rows; then second questions, then third ones.
  std::vector<Prompt> prompts;
  DecodeLimits limits;
  std::vector<Decoded> decoded;
  AcceptanceReport report;
  std::vector<FileReport> files;
  std::vector<std::string> shown;  // the first shown_texts texts, for a terminal
};

/// Decodes the prompts in groups, on `threads` threads: the same result for any number of threads. `colour` is for
/// the shown texts.
[[nodiscard]] EvalResult run_eval(const EvalSettings& settings, bool colour);

}  // namespace dflash
