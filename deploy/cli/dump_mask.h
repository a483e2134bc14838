// dflash dump mask: token ids and loss mask of each row's conversation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dflash {

struct DumpMaskOptions {
  std::string tokenizer;
  std::string chat_template;  ///< a Jinja file, a tokenizer_config.json or a model's folder
  std::string input;
  std::vector<std::string> variables;  ///< as DumpChatOptions
  std::string supervise;               ///< all_turns, last_turn, everything
  bool reasoning = true;               ///< false: thoughts are not supervised
  std::string now;                     ///< as DumpChatOptions
};

/// Prints a line for each row of `input` and returns how many of them are errors. Errors as dump_chat.
size_t dump_mask(const DumpMaskOptions& options);

}  // namespace dflash
