#include "common/text/tokenizer/added_tokens.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/tokenizer/pre_tokenizers/character_splits.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr size_t kLongestTokenBytes = 4096;  // bounds the work for each byte of a hostile text
constexpr size_t kMostTokenBytes = size_t{4} << 20U;

AddedToken read_token(const ComponentFields& fields) {
  AddedToken token;
  token.content = fields.text("content");
  if (token.content.size() > kLongestTokenBytes)
    fields.refuse("content", format("is longer than {} bytes", kLongestTokenBytes));
  token.single_word = fields.flag("single_word");
  token.lstrip = fields.flag("lstrip");
  token.rstrip = fields.flag("rstrip");
  token.normalized = fields.flag("normalized");
  token.special = fields.flag("special");
  return token;
}

std::vector<AddedToken> read_tokens(const Json& settings, const std::string& source) {
  const auto place = settings.find("added_tokens");
  if (place == settings.end() || place->is_null()) return {};
  if (!place->is_array()) throw Error(ErrorKind::input_file, format("{}: 'added_tokens' is no list", source));
  std::vector<AddedToken> tokens;
  size_t bytes = 0;
  for (const Json& item : *place) {
    const ComponentFields fields(item, format("{}: added_tokens[{}]", source, tokens.size()));
    (void)fields.count("id");  // must be one, though it is not used
    tokens.push_back(read_token(fields));
    bytes += tokens.back().content.size();
    if (bytes > kMostTokenBytes)
      fields.refuse("content", format("brings all of them beyond {} bytes", kMostTokenBytes));
  }
  return tokens;
}

size_t space_before(std::string_view text, size_t end, size_t least) {
  while (end > least) {
    const Character character = decode_utf8_before(text, end);
    if (!is_space(character.code_point)) break;
    end -= character.bytes;
  }
  return std::max(end, least);
}

size_t space_behind(std::string_view text, size_t begin) {
  while (begin < text.size()) {
    const Character character = decode_utf8(text.data() + begin);
    if (!is_space(character.code_point)) break;
    begin += character.bytes;
  }
  return begin;
}

}  // namespace

AddedTokens::AddedTokens(const Json& settings, const std::string& source, const TokenModel& model,
                         const Normalizer* normalizer) {
  const std::vector<AddedToken> tokens = read_tokens(settings, source);
  std::vector<AddedToken> order;  // special ones first: of two that are looked for by the same text the first counts
  for (const AddedToken& token : tokens) {
    if (token.special && !token.content.empty() && special_.insert(token.content).second) order.push_back(token);
  }
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    add(token, model);
    if (!special_.contains(token.content)) order.push_back(token);
  }
  fill_finders(order, normalizer, source);
}

void AddedTokens::add(const AddedToken& token, const TokenModel& model) {
  const auto size = static_cast<uint32_t>(model.size());
  std::optional<uint32_t> id = id_of(token.content);
  if (!id) id = model.id_of(token.content);
  if (!id) id = largest_id_ && (*largest_id_ >= size || size == 0) ? *largest_id_ + 1 : size;
  ids_[token.content] = *id;
  tokens_[*id] = token;
  largest_id_ = std::max(largest_id_.value_or(0), *id);
}

void AddedTokens::fill_finders(const std::vector<AddedToken>& order, const Normalizer* normalizer,
                               const std::string& source) {
  size_t normalized_bytes = 0;
  for (const AddedToken& token : order) {
    const uint32_t id = ids_.at(token.content);
    if (!token.normalized) {
      in_raw_.trie.add(token.content, id);
      continue;
    }
    AlignedText text;
    text.assign(TextSlice{token.content}, token.content, /*tracked=*/false);
    if (normalizer != nullptr) normalizer->apply(text);
    normalized_bytes += text.text().size();
    if (normalized_bytes > kMostTokenBytes) {
      throw Error(ErrorKind::input_file,
                  format("{}: the normalized added_tokens have more than {} bytes", source, kMostTokenBytes));
    }
    in_normalized_.trie.add(text.text(), id);
    tokens_.at(id).content = text.text();
  }
}

std::optional<uint32_t> AddedTokens::id_of(std::string_view token) const {
  const auto place = ids_.find(std::string(token));
  if (place == ids_.end()) return std::nullopt;
  return place->second;
}

std::optional<std::string_view> AddedTokens::token_of(uint32_t id) const {
  const auto place = tokens_.find(id);
  if (place == tokens_.end()) return std::nullopt;
  return place->second.content;
}

bool AddedTokens::stands_alone(std::string_view text, size_t begin, size_t end) const {
  const bool word_before = begin > 0 && is_word_character(decode_utf8_before(text, begin).code_point);
  const bool word_behind = end < text.size() && is_word_character(decode_utf8(text.data() + end).code_point);
  return !word_before && !word_behind;
}

/// The longest token at the first place at or behind `at` where one begins. `done`: what is taken already ends there.
std::optional<AddedTokens::Found> AddedTokens::find(const Finder& finder, std::string_view text, size_t at,
                                                    size_t done) const {
  while (at < text.size()) {
    size_t length = 0;
    uint32_t id = 0;
    if (finder.trie.begins_with(text[at])) {
      finder.trie.prefixes(text.substr(at), [&](size_t prefix, uint32_t value) {
        length = prefix;
        id = value;
      });
    }
    if (length == 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_.at(id);
    size_t begin = at;
    size_t end = at + length;
    at = end;
    if (token.single_word && !stands_alone(text, begin, end)) continue;
    if (token.lstrip) begin = space_before(text, begin, std::min(done, begin));
    if (token.rstrip) end = space_behind(text, end);
    return Found{begin, end, at, id};
  }
  return std::nullopt;
}

}  // namespace dflash
