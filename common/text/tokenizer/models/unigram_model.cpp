#include "common/text/tokenizer/models/unigram_model.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/tokenizer/byte_alphabet.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr double kUnknownPenalty = 10;
constexpr size_t kLongestTokenBytes = 1024;  // bounds the work for each byte of a hostile text
constexpr uint32_t kNowhere = UINT32_MAX;

size_t name_bytes(const std::vector<ScoredPiece>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), size_t{0},
                         [](size_t sum, const ScoredPiece& piece) { return sum + piece.token.size(); });
}

struct Part {
  uint32_t begin;
  uint32_t end;
  bool unknown;
};

}  // namespace

/// The best way to cut the text up to here: its last token, and where that begins.
struct UnigramModel::Node {
  double score = 0;
  uint32_t begin = kNowhere;
  uint32_t id = 0;
};

UnigramModel::UnigramModel(const TokenizerFile& file, const ComponentFields& fields)
    : source_(fields.where()), table_(file.pieces.size(), name_bytes(file.pieces)) {
  if (file.pieces.empty()) fields.refuse("vocab", "must be a list of [token, score] with at least one token");
  if (fields.has("unk_id")) {
    unknown_id_ = fields.count("unk_id");
    if (*unknown_id_ >= file.pieces.size()) {
      fields.refuse("unk_id", format("is {}, but there are {} tokens", *unknown_id_, file.pieces.size()));
    }
  }
  byte_fallback_ = fields.flag("byte_fallback", false);
  double worst = std::numeric_limits<double>::infinity();
  for (const auto& [token, score] : file.pieces) {
    const auto id = static_cast<uint32_t>(scores_.size());
    if (token.size() > kLongestTokenBytes) {
      fields.refuse("vocab", format("has a token of more than {} bytes, at place {}", kLongestTokenBytes, id));
    }
    table_.add(token, id);
    trie_.add(token, id, /*replace=*/true);
    scores_.push_back(score);
    worst = std::min(worst, score);
  }
  unknown_score_ = worst - kUnknownPenalty;
  for (unsigned byte = 0; byte < 256; ++byte) {
    fallback_ids_[byte] = table_.id_of(byte_token_name(static_cast<unsigned char>(byte)));
  }
}

uint32_t UnigramModel::unknown_id() const {
  if (unknown_id_) return *unknown_id_;
  throw Error(ErrorKind::input_file, format("{}: a character has no token, and there is no unk_id", source_));
}

void UnigramModel::find_best_path(std::string_view word, std::vector<Node>& nodes) const {
  nodes.assign(word.size() + 1, Node());
  for (uint32_t begin = 0; begin < word.size();) {
    const double score_here = nodes[begin].score;
    const auto offer = [&](size_t length, uint32_t id, double score) {
      Node& node = nodes[begin + length];
      if (node.begin == kNowhere || score > node.score) node = {score, begin, id};
    };
    const uint32_t bytes = utf8_bytes(static_cast<unsigned char>(word[begin]));
    bool character_is_token = false;
    trie_.prefixes(word.substr(begin), [&](size_t length, uint32_t id) {
      offer(length, id, scores_[id] + score_here);
      character_is_token = character_is_token || length == bytes;
    });
    if (!character_is_token) offer(bytes, unknown_id(), unknown_score_ + score_here);
    begin += bytes;
  }
}

void UnigramModel::add_part(std::string_view word, uint32_t begin, uint32_t end, std::vector<PieceToken>& out) const {
  const std::string_view part = word.substr(begin, end - begin);
  if (const auto id = table_.id_of(part)) {
    out.push_back({*id, begin, end});
    return;
  }
  const auto id_of = [this](char byte) { return fallback_ids_[static_cast<unsigned char>(byte)]; };
  if (byte_fallback_ && std::ranges::all_of(part, [&](char byte) { return id_of(byte).has_value(); })) {
    for (const char byte : part) out.push_back({*id_of(byte), begin, end});
    return;
  }
  out.push_back({unknown_id(), begin, end});
}

void UnigramModel::tokenize_word(std::string_view word, std::vector<PieceToken>& out) const {
  thread_local std::vector<Node> nodes;
  thread_local std::vector<Part> parts;
  find_best_path(word, nodes);
  parts.clear();
  for (auto end = static_cast<uint32_t>(word.size()); end > 0; end = nodes[end].begin) {
    const bool unknown = unknown_id_ && nodes[end].id == *unknown_id_;
    if (unknown && !parts.empty() && parts.back().unknown) {
      parts.back().begin = nodes[end].begin;
    } else {
      parts.push_back({nodes[end].begin, end, unknown});
    }
  }
  std::ranges::reverse(parts);
  for (const auto& part : parts) add_part(word, part.begin, part.end, out);
}

void UnigramModel::tokenize(std::string_view piece, WordCache& words, std::vector<PieceToken>& out) const {
  words.append(piece, 0, out,
               [this](std::string_view word, std::vector<PieceToken>& tokens) { tokenize_word(word, tokens); });
}

}  // namespace dflash
