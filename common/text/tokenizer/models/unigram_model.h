// UnigramModel: of all ways to cut a piece into tokens the one with the best sum of scores (T5, XLM-R, Llama 1 files).
//
// What no token covers is cut into characters at the score of the worst token minus 10; neighbours of that kind are
// joined, and are bytes when the model falls back to bytes.
//
// Threading, Owns: see TokenModel.
#pragma once

#include <array>

#include "common/text/tokenizer/byte_trie.h"
#include "common/text/tokenizer/component_fields.h"
#include "common/text/tokenizer/models/token_model.h"
#include "common/text/tokenizer/models/token_table.h"

namespace dflash {

class UnigramModel : public TokenModel {
 public:
  UnigramModel(const TokenizerFile& file, const ComponentFields& fields);

  void tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const override;
  [[nodiscard]] std::optional<uint32_t> id_of(std::string_view token) const override { return table_.id_of(token); }
  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const override { return table_.token_of(id); }
  [[nodiscard]] size_t size() const override { return scores_.size(); }
  [[nodiscard]] std::optional<uint32_t> spelled_as_text() const override { return unknown_id_; }

 private:
  struct Node;
  void find_best_path(std::string_view word, std::vector<Node>& nodes) const;
  void tokenize_word(std::string_view word, std::vector<PieceToken>& out) const;
  void add_part(std::string_view word, uint32_t begin, uint32_t end, std::vector<PieceToken>& out) const;
  [[nodiscard]] uint32_t unknown_id() const;

  std::string source_;
  TokenTable table_;
  ByteTrie trie_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  std::optional<uint32_t> unknown_id_;
  bool byte_fallback_ = false;
  std::array<std::optional<uint32_t>, 256> fallback_ids_{};
};

}  // namespace dflash
