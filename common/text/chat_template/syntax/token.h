// Tokens of a template: its plain text, and what stands inside {{ }} and {% %}. Comments and white space are gone.
#pragma once

#include <cstdint>
#include <string>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

enum class TokenKind : uint8_t {
  data,         ///< text that is printed as it is
  print_begin,  ///< {{
  print_end,
  block_begin,  ///< {%
  block_end,
  name,
  literal,   ///< a string, integer or float: in `value`
  operation  ///< + - * / // % ** ~ ( ) [ ] { } == != < <= > >= = . : | , ;
  ,
  end
};

struct Token {
  TokenKind kind;
  std::string text;
  Value value;
  int line;
};

}  // namespace dflash::jinja
