// dflash dump text: ids, offsets, tokens and decoded text of each row.
#pragma once

#include <cstddef>
#include <string>

namespace dflash {

/// Prints a line for each row of `input` and returns how many of them are errors. Error{input_file} when a file cannot
/// be used.
size_t dump_text(const std::string& tokenizer_path, const std::string& input);

}  // namespace dflash
