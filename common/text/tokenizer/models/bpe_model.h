// BpeModel: byte pair encoding, as GPT-2 (bytes), Llama 3 (whole words first) and SentencePiece (byte fallback) use it.
//
// Threading, Owns: see TokenModel. The scratch of a merge is one per thread.
#pragma once

#include <array>
#include <string>

#include "common/text/tokenizer/component_fields.h"
#include "common/text/tokenizer/models/bpe_merger.h"
#include "common/text/tokenizer/models/token_model.h"
#include "common/text/tokenizer/models/token_table.h"

namespace dflash {

struct BpeSettings {
  std::string unknown_token;  ///< "": none; what has no token is then left out
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;  ///< a piece that is a token is that token, whatever the merges say
  std::string continuing_prefix;
  std::string word_suffix;
};

class BpeModel : public TokenModel {
 public:
  BpeModel(const TokenizerFile& file, const ComponentFields& fields, bool raw_bytes);

  void tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const override;
  [[nodiscard]] std::optional<uint32_t> id_of(std::string_view token) const override { return table_.id_of(token); }
  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const override { return table_.token_of(id); }
  [[nodiscard]] size_t size() const override { return table_.size(); }
  [[nodiscard]] bool takes_raw_bytes() const override { return raw_bytes_; }

 private:
  class SymbolMaker;
  void read_bytes(bool raw_bytes);
  void read_merges(const TokenizerFile& file);
  void find_word_marker(const TokenizerFile& file);
  [[nodiscard]] std::optional<uint32_t> whole_word(std::string_view word) const;
  void tokenize_word(std::string_view word, std::vector<PieceToken>& out) const;
  void make_symbols(std::string_view word, std::vector<BpeSymbol>& symbols) const;

  std::string source_;
  BpeSettings settings_;
  TokenTable table_;
  MergeTable merges_;
  bool raw_bytes_ = false;
  std::array<uint32_t, 256> id_of_byte_{};                   // when raw_bytes_
  std::array<std::optional<uint32_t>, 256> fallback_ids_{};  // of "<0x00>" to "<0xFF>"
  std::optional<uint32_t> unknown_id_;
  bool splits_at_marker_ = false;
};

}  // namespace dflash
