// TokenDecoder: makes text of tokens, step by step: each step rewrites the list of strings that the one before left;
// what the last leaves is joined.
//
// Threading: immutable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/text/tokenizer/component_fields.h"

namespace dflash {

/// Bytes of all `tokens`.
[[nodiscard]] size_t total_bytes(std::span<const std::string> tokens);

class TokenDecoder {
 public:
  TokenDecoder() = default;
  TokenDecoder(const TokenDecoder&) = delete;
  TokenDecoder& operator=(const TokenDecoder&) = delete;
  virtual ~TokenDecoder() = default;

  /// Error{input_file} for one that blows the tokens up (growth_limit.h).
  virtual void apply(std::vector<std::string>& tokens) const = 0;
};

/// The decoder that `fields` describe. Error{input_file} naming its place, for a type nobody knows too.
[[nodiscard]] std::unique_ptr<const TokenDecoder> make_decoder(const ComponentFields& fields);

}  // namespace dflash
