#include "common/text/tokenizer/models/bpe_model.h"

#include <numeric>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/tokenizer/byte_alphabet.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr std::string_view kMarker = "\xE2\x96\x81";  // U+2581: SentencePiece writes it for a space

BpeSettings read_settings(const ComponentFields& fields) {
  if (fields.has("dropout") && fields.value("dropout") != 0) {
    fields.refuse("dropout", format("is {}: merges are never dropped here; set it to null",
                                    json_line(fields.value("dropout"), 40)));
  }
  BpeSettings settings;
  settings.unknown_token = fields.text("unk_token", "");
  settings.fuse_unknown = fields.flag("fuse_unk", false);
  settings.byte_fallback = fields.flag("byte_fallback", false);
  settings.ignore_merges = fields.flag("ignore_merges", false);
  settings.continuing_prefix = fields.text("continuing_subword_prefix", "");
  settings.word_suffix = fields.text("end_of_word_suffix", "");
  return settings;
}

size_t name_bytes(const std::vector<VocabularyEntry>& vocabulary) {
  return std::accumulate(vocabulary.begin(), vocabulary.end(), size_t{0},
                         [](size_t sum, const VocabularyEntry& entry) { return sum + entry.token.size(); });
}

struct MergeScratch {
  std::vector<BpeSymbol> symbols;
  BpeMerger merger;
};

}  // namespace

BpeModel::BpeModel(const TokenizerFile& file, const ComponentFields& fields, bool raw_bytes)
    : source_(fields.where()),
      settings_(read_settings(fields)),
      table_(file.vocabulary.size(), name_bytes(file.vocabulary)),
      merges_(file.merges.size()) {
  if (!file.has_merges) fields.refuse("merges", "is missing");
  for (const auto& [token, id] : file.vocabulary) table_.add(token, id);
  if (!settings_.unknown_token.empty()) unknown_id_ = table_.id_of(settings_.unknown_token);
  read_bytes(raw_bytes);
  read_merges(file);
  find_word_marker(file);
}

/// Bytes can be taken raw only when each has a token: what has none is spelled in characters of one or two bytes.
void BpeModel::read_bytes(bool raw_bytes) {
  raw_bytes_ =
      raw_bytes && settings_.continuing_prefix.empty() && settings_.word_suffix.empty() && !settings_.byte_fallback;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto id = table_.id_of(to_utf8(byte_character(static_cast<unsigned char>(byte))));
    id_of_byte_[byte] = id.value_or(0);
    raw_bytes_ = raw_bytes_ && id.has_value();
    fallback_ids_[byte] = table_.id_of(byte_token_name(static_cast<unsigned char>(byte)));
  }
}

void BpeModel::read_merges(const TokenizerFile& file) {
  const auto refuse = [&](size_t rank, std::string_view token) {
    throw Error(ErrorKind::input_file, format("{}.merges[{}]: the token '{}' is not in the vocabulary", source_, rank,
                                              one_line(std::string(token.substr(0, 80)))));
  };
  std::string joined;
  for (uint32_t rank = 0; rank < file.merges.size(); ++rank) {
    const MergeRule& rule = file.merges[rank];
    const auto left = table_.id_of(rule.left);
    const auto right = table_.id_of(rule.right);
    if (!left) refuse(rank, rule.left);
    if (!right) refuse(rank, rule.right);
    if (rule.right.size() < settings_.continuing_prefix.size()) refuse(rank, rule.right);
    joined.assign(rule.left);
    joined += rule.right.substr(settings_.continuing_prefix.size());
    const auto token = table_.id_of(joined);
    if (!token) refuse(rank, joined);
    merges_.add(*left, *right, {rank, *token});
  }
}

/// Where no merge joins what ends without the marker to what begins with it, a text may be cut before each marker that
/// follows something else: the parts cannot meet. So a text without pieces has words all the same, which can be kept.
void BpeModel::find_word_marker(const TokenizerFile& file) {
  if (raw_bytes_ || settings_.ignore_merges || !settings_.continuing_prefix.empty() || !settings_.word_suffix.empty() ||
      !table_.id_of(kMarker)) {
    return;
  }
  for (const MergeRule& rule : file.merges) {
    if (rule.right.starts_with(kMarker) && !rule.left.ends_with(kMarker)) return;
  }
  splits_at_marker_ = true;
}

void BpeModel::tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const {
  const auto work_out = [this](std::string_view word, std::vector<PieceToken>& tokens) { tokenize_word(word, tokens); };
  size_t begin = 0;
  if (splits_at_marker_) {
    for (size_t at = piece.find(kMarker, 1); at != std::string_view::npos; at = piece.find(kMarker, at + 1)) {
      if (at >= kMarker.size() && piece.substr(at - kMarker.size(), kMarker.size()) == kMarker) continue;
      words.append(piece.substr(begin, at - begin), static_cast<uint32_t>(begin), out, work_out);
      begin = at;
    }
  }
  words.append(piece.substr(begin), static_cast<uint32_t>(begin), out, work_out);
}

std::optional<uint32_t> BpeModel::whole_word(std::string_view word) const {
  if (!settings_.ignore_merges) return std::nullopt;
  if (!raw_bytes_) return table_.id_of(word);
  std::string spelled;
  append_byte_characters(spelled, word);
  return table_.id_of(spelled);
}

void BpeModel::tokenize_word(std::string_view word, std::vector<PieceToken>& out) const {
  if (const auto id = whole_word(word)) {
    out.push_back({*id, 0, static_cast<uint32_t>(word.size())});
    return;
  }
  thread_local MergeScratch scratch;
  scratch.symbols.clear();
  if (raw_bytes_) {
    for (const char byte : word) scratch.symbols.push_back({id_of_byte_[static_cast<unsigned char>(byte)], 1});
  } else {
    make_symbols(word, scratch.symbols);
  }
  scratch.merger.merge_all(merges_, scratch.symbols);
  uint32_t position = 0;
  for (const BpeSymbol& symbol : scratch.symbols) {
    out.push_back({symbol.id, position, position + symbol.bytes});
    position += symbol.bytes;
  }
}

/// Makes the first symbols of a word, character by character. An unknown character is held back, so that those that
/// follow can join it; byte tokens do not let it out (as in the reference library).
class BpeModel::SymbolMaker {
 public:
  SymbolMaker(const BpeModel& model, std::vector<BpeSymbol>& symbols) : model_(model), symbols_(symbols) {}

  void add(std::string_view spelled, uint32_t bytes) {
    if (const auto id = model_.table_.id_of(spelled)) {
      flush();
      symbols_.push_back({*id, bytes});
    } else if (!add_bytes(spelled)) {
      add_unknown(bytes);
    }
  }

  void flush() {
    if (unknown_bytes_ > 0) symbols_.push_back({*model_.unknown_id_, unknown_bytes_});
    unknown_bytes_ = 0;
  }

 private:
  bool add_bytes(std::string_view spelled) {
    if (!model_.settings_.byte_fallback) return false;
    const auto id_of = [this](char byte) { return model_.fallback_ids_[static_cast<unsigned char>(byte)]; };
    for (const char byte : spelled) {
      if (!id_of(byte)) return false;
    }
    for (const char byte : spelled) symbols_.push_back({*id_of(byte), 1});
    return true;
  }

  void add_unknown(uint32_t bytes) {
    if (model_.settings_.unknown_token.empty()) return;
    if (!model_.unknown_id_) {
      throw Error(ErrorKind::input_file, format("{}: a character has no token, and the unk_token '{}' is not in the "
                                                "vocabulary",
                                                model_.source_, one_line(model_.settings_.unknown_token)));
    }
    if (!model_.settings_.fuse_unknown) flush();
    unknown_bytes_ += bytes;
  }

  const BpeModel& model_;
  std::vector<BpeSymbol>& symbols_;
  uint32_t unknown_bytes_ = 0;
};

void BpeModel::make_symbols(std::string_view word, std::vector<BpeSymbol>& symbols) const {
  SymbolMaker maker(*this, symbols);
  const bool plain = settings_.continuing_prefix.empty() && settings_.word_suffix.empty();
  std::string spelled;
  for (size_t i = 0; i < word.size();) {
    const uint32_t bytes = utf8_bytes(static_cast<unsigned char>(word[i]));
    const std::string_view character = word.substr(i, bytes);
    if (plain) {
      maker.add(character, bytes);
    } else {
      spelled = i == 0 ? "" : settings_.continuing_prefix;
      spelled += character;
      if (i + bytes == word.size()) spelled += settings_.word_suffix;
      maker.add(spelled, bytes);
    }
    i += bytes;
  }
  maker.flush();
}

}  // namespace dflash
