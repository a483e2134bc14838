// TokenModel: makes tokens of one piece of text (a word, mostly); the middle of a tokenizer.
//
//   const auto model = make_token_model(file, /*raw_bytes=*/false);
//   model->tokenize(piece, words, tokens);
//
// Threading: immutable; each thread has a WordCache of its own.
// Owns: vocabulary and merges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "common/text/tokenizer/models/word_cache.h"
#include "common/text/tokenizer/tokenizer_file.h"

namespace dflash {

class TokenModel {
 public:
  TokenModel() = default;
  TokenModel(const TokenModel&) = delete;
  TokenModel& operator=(const TokenModel&) = delete;
  virtual ~TokenModel() = default;

  /// Appends the tokens of `piece` (not empty). Error{input_file} when it cannot be said: a character without a token
  /// in a model whose unknown token is not in its vocabulary.
  virtual void tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const = 0;

  [[nodiscard]] virtual std::optional<uint32_t> id_of(std::string_view token) const = 0;
  [[nodiscard]] virtual std::optional<std::string_view> token_of(uint32_t id) const = 0;
  /// How many tokens have a name.
  [[nodiscard]] virtual size_t size() const = 0;
  /// The id of tokens that are spelled as the text they stand for, not by their name (Unigram's unknown token).
  [[nodiscard]] virtual std::optional<uint32_t> spelled_as_text() const { return std::nullopt; }
  /// True when tokenize() wants bytes as they are, not the characters that the byte alphabet writes for them.
  [[nodiscard]] virtual bool takes_raw_bytes() const { return false; }
};

/// The model of a tokenizer.json. `raw_bytes`: what comes before ends with the byte alphabet, so that a model that can
/// may leave it out. Error{input_file} naming file and place.
[[nodiscard]] std::unique_ptr<const TokenModel> make_token_model(const TokenizerFile& file, bool raw_bytes);

}  // namespace dflash
