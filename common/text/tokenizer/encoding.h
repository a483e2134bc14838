// Encoding: what a text became.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dflash {

enum class OffsetUnit : uint8_t { none, bytes, characters };

/// [begin, end) of the input, in the unit that was asked for. Tokens that the tokenizer added have {0, 0}.
struct TokenOffset {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const TokenOffset&) const = default;
};

struct EncodeOptions {
  bool special_tokens = true;  ///< with what the post-processor adds
  OffsetUnit offsets = OffsetUnit::none;
  bool tokens = false;  ///< with the tokens as text
};

struct Encoding {
  std::vector<uint32_t> ids;
  std::vector<TokenOffset> offsets;  ///< one for each id, or none
  std::vector<std::string> tokens;   ///< one for each id, or none

  void clear() {
    ids.clear();
    offsets.clear();
    tokens.clear();
  }
};

}  // namespace dflash
