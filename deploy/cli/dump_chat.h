// dflash dump chat: what a chat template makes of each row.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dflash {

struct DumpChatOptions {
  std::string chat_template;  ///< a Jinja file, a tokenizer_config.json or a model's folder; empty: the rows bring it
  std::string input;
  std::vector<std::string> variables;  ///< NAME=JSON, of all rows; a row's own go before them
  bool raw = false;                    ///< rows with `context`, or messages that are taken as they stand
  std::string now;                     ///< "2026-01-02 03:04:05" for strftime_now; empty: the local time
};

/// Prints a line for each row of `input` and returns how many of them are errors. Error{input_file} when a file cannot
/// be used, Error{config} for a time that cannot be read and as check_template_variables.
size_t dump_chat(const DumpChatOptions& options);

}  // namespace dflash
