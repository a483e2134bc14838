#include "common/text/chat_template/syntax/token_stream.h"

#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {

std::string TokenStream::described(const Token& token) {
  switch (token.kind) {
    case TokenKind::data:
      return "template text";
    case TokenKind::print_begin:
      return "'{{'";
    case TokenKind::print_end:
      return "'}}'";
    case TokenKind::block_begin:
      return "'{%'";
    case TokenKind::block_end:
      return "'%}'";
    case TokenKind::name:
    case TokenKind::operation:
      return repr(token.text);
    case TokenKind::literal:
      return repr(token.value);
    case TokenKind::end:
      return "the end of the template";
  }
  return "";
}

}  // namespace dflash::jinja
