// TokenizerParts: the components that a tokenizer.json describes, made and fitted together.
//
// Threading: immutable.
#pragma once

#include <cstdint>
#include <memory>

#include "common/text/tokenizer/added_tokens.h"
#include "common/text/tokenizer/decoders/decoder.h"
#include "common/text/tokenizer/models/token_model.h"
#include "common/text/tokenizer/normalizers/normalizer.h"
#include "common/text/tokenizer/post_processors/post_processor.h"
#include "common/text/tokenizer/pre_tokenizers/pre_tokenizer.h"

namespace dflash {

struct TokenizerParts {
  explicit TokenizerParts(const TokenizerFile& file);

  std::unique_ptr<const Normalizer> normalizer;  // null: none
  std::unique_ptr<PreTokenizer> pre_tokenizer;   // null: none
  std::unique_ptr<const TokenModel> model;
  std::unique_ptr<const PostProcessor> post_processor;  // null: none
  std::unique_ptr<const TokenDecoder> decoder;          // null: none
  AddedTokens added;
  bool needs_origins = false;  ///< even when nobody asks for offsets
  uint64_t number;             ///< of no other tokenizer of this process

  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const {
    if (const auto token = added.token_of(id)) return token;
    return model->token_of(id);
  }
};

}  // namespace dflash
