#include "common/text/tokenizer/models/word_models.h"

#include <numeric>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr size_t kLongestTokenBytes = 4096;  // bounds the work for one word of a hostile text

size_t name_bytes(const std::vector<VocabularyEntry>& vocabulary) {
  return std::accumulate(vocabulary.begin(), vocabulary.end(), size_t{0},
                         [](size_t sum, const VocabularyEntry& entry) { return sum + entry.token.size(); });
}

}  // namespace

WordModel::WordModel(const TokenizerFile& file, const ComponentFields& fields)
    : source_(fields.where()),
      unknown_token_(fields.text("unk_token")),
      table_(file.vocabulary.size(), name_bytes(file.vocabulary)) {
  for (const auto& [token, id] : file.vocabulary) table_.add(token, id);
}

void WordModel::add_unknown(std::string_view word, std::vector<PieceToken>& out) const {
  const auto id = table_.id_of(unknown_token_);
  if (!id) {
    throw Error(ErrorKind::input_file,
                format("{}: a word has no token, and the unk_token '{}' is not in the vocabulary", source_,
                       one_line(unknown_token_)));
  }
  out.push_back({*id, 0, static_cast<uint32_t>(word.size())});
}

WordPieceModel::WordPieceModel(const TokenizerFile& file, const ComponentFields& fields)
    : WordModel(file, fields),
      prefix_(fields.text("continuing_subword_prefix")),
      longest_word_characters_(fields.count("max_input_chars_per_word")) {}

void WordPieceModel::tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const {
  words.append(piece, 0, out,
               [this](std::string_view word, std::vector<PieceToken>& tokens) { tokenize_word(word, tokens); });
}

std::optional<PieceToken> WordPieceModel::longest_token(std::string_view word, size_t begin) const {
  thread_local std::string spelled;
  spelled = begin > 0 ? prefix_ : "";
  spelled += word.substr(begin, kLongestTokenBytes);
  size_t end = std::min(word.size(), begin + kLongestTokenBytes);
  while (end > begin) {
    if (end == word.size() || begins_character(word[end])) {
      if (const auto id = id_of(spelled))
        return PieceToken{*id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    }
    spelled.pop_back();
    --end;
  }
  return std::nullopt;
}

void WordPieceModel::tokenize_word(std::string_view word, std::vector<PieceToken>& out) const {
  if (count_characters(word) > longest_word_characters_) return add_unknown(word, out);
  const size_t before = out.size();
  for (size_t begin = 0; begin < word.size(); begin = out.back().end) {
    const auto token = longest_token(word, begin);
    if (!token) {
      out.resize(before);
      return add_unknown(word, out);
    }
    out.push_back(*token);
  }
}

void WordLevelModel::tokenize(std::string_view piece, WordCache& /*words*/, std::vector<PieceToken>& out) const {
  if (const auto id = id_of(piece)) {
    out.push_back({*id, 0, static_cast<uint32_t>(piece.size())});
  } else {
    add_unknown(piece, out);
  }
}

}  // namespace dflash
