// WordPieceModel (BERT) and WordLevelModel: models that look words up, whole or from the left.
//
// Threading, Owns: see TokenModel.
#pragma once

#include <string>

#include "common/text/tokenizer/component_fields.h"
#include "common/text/tokenizer/models/token_model.h"
#include "common/text/tokenizer/models/token_table.h"

namespace dflash {

/// What the two share: a vocabulary and an unknown token.
class WordModel : public TokenModel {
 public:
  WordModel(const TokenizerFile& file, const ComponentFields& fields);
  [[nodiscard]] std::optional<uint32_t> id_of(std::string_view token) const override { return table_.id_of(token); }
  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const override { return table_.token_of(id); }
  [[nodiscard]] size_t size() const override { return table_.size(); }

 protected:
  /// The unknown token for a whole word. Error when it is not in the vocabulary.
  void add_unknown(std::string_view word, std::vector<PieceToken>& out) const;

 private:
  std::string source_;
  std::string unknown_token_;
  TokenTable table_;
};

/// Cuts the longest token off the left again and again; those inside a word have a prefix. A word that does not come
/// out even, or is too long, is unknown as a whole.
class WordPieceModel : public WordModel {
 public:
  WordPieceModel(const TokenizerFile& file, const ComponentFields& fields);
  void tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const override;

 private:
  void tokenize_word(std::string_view word, std::vector<PieceToken>& out) const;
  [[nodiscard]] std::optional<PieceToken> longest_token(std::string_view word, size_t begin) const;

  std::string prefix_;
  uint32_t longest_word_characters_;
};

class WordLevelModel : public WordModel {
 public:
  using WordModel::WordModel;
  void tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const override;
};

}  // namespace dflash
