#include "common/text/tokenizer/decode_stream.h"

#include <algorithm>

#include "common/text/unicode/utf8.h"

namespace dflash {

bool DecodeStream::is_byte_token(uint32_t id) const {
  const auto token = tokenizer_.token_of(id);
  if (!token || token->size() != 6 || !token->starts_with("<0x")) return false;
  return tokenizer_.decode({&id, 1}, false) != *token;
}

std::string DecodeStream::add(uint32_t id) {
  if (skip_special_tokens_ && tokenizer_.is_special(id)) return "";
  ids_.push_back(id);
  if (is_byte_token(id)) return "";
  const std::string text = tokenizer_.decode(ids_, skip_special_tokens_);
  if (text.ends_with(kReplacementCharacter)) return "";  // perhaps half a character
  return give(text);
}

std::string DecodeStream::finish() {
  return give(tokenizer_.decode(ids_, skip_special_tokens_));
}

/// Gives what `text`, of all ids_, has more than was given. What was given last stays as context: what a token becomes
/// may depend on whether another stands before it.
std::string DecodeStream::give(const std::string& text) {
  const std::string more = text.substr(std::min(text.size(), given_text_.size()));
  const auto waiting = ids_.begin() + static_cast<std::ptrdiff_t>(given_ids_);
  const std::vector<uint32_t> context(waiting, ids_.end());
  std::string context_text = tokenizer_.decode(context, skip_special_tokens_);
  if (context_text.empty()) {
    given_text_ = text;  // no context at all: the older ids are still needed
  } else {
    ids_ = context;
    given_text_ = std::move(context_text);
  }
  given_ids_ = ids_.size();
  return more;
}

}  // namespace dflash
