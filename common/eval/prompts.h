// Prompts of an evaluation: JSONL rows {"prompt_ids": [int...], "kind": "code"}; "id" and "kind" are optional.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dflash {

struct Prompt {
  std::vector<int64_t> ids;
  std::string kind;  // "all" when the row names none
};

/// Error{input_file} "file:line: why" for the first row that is not usable: an evaluation on part of a set is not one.
[[nodiscard]] std::vector<Prompt> read_prompts(const std::filesystem::path& path, int64_t vocab_size);

}  // namespace dflash
