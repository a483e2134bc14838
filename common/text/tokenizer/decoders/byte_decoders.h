// Decoders that put bytes together: ByteLevel and ByteFallback.
#pragma once

#include "common/text/tokenizer/decoders/decoder.h"

namespace dflash {

/// All tokens become one text: characters of the byte alphabet are bytes; a token with any other stands for itself.
class ByteLevelDecoder : public TokenDecoder {
 public:
  void apply(std::vector<std::string>& tokens) const override;
};

/// Tokens like <0xE4> become bytes; a run of them that is no UTF-8 becomes U+FFFD for each.
class ByteFallbackDecoder : public TokenDecoder {
 public:
  void apply(std::vector<std::string>& tokens) const override;
};

}  // namespace dflash
