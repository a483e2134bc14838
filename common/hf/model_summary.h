// ModelSummary: what `dflash inspect model` tells of a target's folder. Reads config.json, generation_config.json and
// the headers of the weights; a folder whose weights are not whole is described as far as they go.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/hf/summary_fact.h"

namespace dflash {

struct ModelSummary {
  std::vector<SummaryFact> facts;
  std::vector<std::string> problems;  // what keeps the folder from being used, one line each
};

/// `captured_count`: how many layers a drafter captures; nothing: `default_count`, or the most that a small target has.
/// Error{input_file} for a config.json that cannot be used, Error{config} for a
/// `captured_count` that its depth does not allow.
[[nodiscard]] ModelSummary summarize_model(const std::filesystem::path& folder, std::optional<int64_t> captured_count,
                                           int64_t default_count);

}  // namespace dflash
