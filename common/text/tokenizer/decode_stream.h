// DecodeStream: text of ids that come one by one. What it gives is never half a character, and all of it together is
// what Tokenizer::decode makes of all ids.
//
//   DecodeStream stream(tokenizer, /*skip_special_tokens=*/true);
//   for (uint32_t id : ids) std::cout << stream.add(id);
//   std::cout << stream.finish();
//
// Threading: one thread. Owns: the last few ids. The tokenizer must live as long.
// Limits: byte tokens (<0xE4>) are held back until another token or finish() follows: only then is it known whether
//   all of them together are text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

class DecodeStream {
 public:
  DecodeStream(const Tokenizer& tokenizer, bool skip_special_tokens)
      : tokenizer_(tokenizer), skip_special_tokens_(skip_special_tokens) {}

  /// The text that is certain now; often of more than one id, or of none.
  [[nodiscard]] std::string add(uint32_t id);
  /// What is left, whole characters or not.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] bool is_byte_token(uint32_t id) const;
  std::string give(const std::string& text);

  const Tokenizer& tokenizer_;
  bool skip_special_tokens_;
  std::vector<uint32_t> ids_;  // some whose text was given, then those that wait
  size_t given_ids_ = 0;
  std::string given_text_;  // of the first given_ids_
};

}  // namespace dflash
