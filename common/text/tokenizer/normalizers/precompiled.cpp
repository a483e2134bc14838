#include "common/text/tokenizer/normalizers/precompiled.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "common/base/format.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr size_t kLongestReplacement = 4096;  // bytes; bounds the work for one character
constexpr size_t kLongestCluster = 6;         // bytes; longer ones are looked up character by character

/// Of strings that end with a zero.
size_t longest_string(std::string_view strings) {
  size_t longest = 0;
  for (size_t begin = 0; begin < strings.size();) {
    const size_t end = std::min(strings.find('\0', begin), strings.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const size_t value = kBase64.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
    }
  }
  return bytes;
}

/// The darts-clone double array: one 32-bit unit for each state.
class DoubleArray {
 public:
  explicit DoubleArray(std::vector<uint32_t> units) : units_(std::move(units)) {}

  /// The value of the shortest key that `text` begins with.
  [[nodiscard]] std::optional<uint32_t> shortest_prefix(std::string_view text) const {
    if (units_.empty()) return std::nullopt;
    size_t at = offset(units_[0]);
    for (const char byte : text) {
      const auto label = static_cast<unsigned char>(byte);
      at ^= label;
      if (label == 0 || at >= units_.size() || (units_[at] & 0x800000FFU) != label) return std::nullopt;
      const bool is_key = (units_[at] >> 8U & 1U) != 0;
      at ^= offset(units_[at]);
      if (is_key && at < units_.size()) return units_[at] & 0x7FFFFFFFU;
    }
    return std::nullopt;
  }

 private:
  static size_t offset(uint32_t unit) { return size_t{unit >> 10U} << ((unit & (1U << 9U)) >> 6U); }

  std::vector<uint32_t> units_;
};

class Precompiled : public Normalizer {
 public:
  Precompiled(std::vector<uint32_t> units, std::string replacements)
      : trie_(std::move(units)), replacements_(std::move(replacements)) {}

  void apply(AlignedText& text) const override {
    std::vector<CharacterChange> changes;
    const std::string old(text.text());
    for (size_t begin = 0; begin < old.size();) {
      const size_t end = cluster_end(old, begin);
      add_cluster(std::string_view(old).substr(begin, end - begin), changes);
      text.check_size(changes.size());
      begin = end;
    }
    text.transform(changes);
  }

 private:
  /// The end of the grapheme cluster that begins at `begin`.
  static size_t cluster_end(std::string_view text, size_t begin) {
    utf8proc_int32_t state = 0;
    Character before = decode_utf8(text.data() + begin);
    size_t at = begin + before.bytes;
    while (at < text.size()) {
      const Character here = decode_utf8(text.data() + at);
      if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before.code_point),
                                           static_cast<utf8proc_int32_t>(here.code_point), &state)) {
        break;
      }
      at += here.bytes;
      before = here;
    }
    return at;
  }

  [[nodiscard]] std::optional<std::string_view> replacement(std::string_view text) const {
    const auto at = trie_.shortest_prefix(text);
    if (!at || *at >= replacements_.size()) return std::nullopt;
    return std::string_view(replacements_.c_str() + *at);
  }

  void add_cluster(std::string_view cluster, std::vector<CharacterChange>& changes) const {
    if (cluster.size() < kLongestCluster) {
      if (const auto found = replacement(cluster)) return replace(cluster, *found, changes);
    }
    for (size_t i = 0; i < cluster.size();) {
      const Character character = decode_utf8(cluster.data() + i);
      const std::string_view spelled = cluster.substr(i, character.bytes);
      replace(spelled, replacement(spelled).value_or(spelled), changes);
      i += character.bytes;
    }
  }

  /// Characters for characters; what is too many is added, what is too few is gone behind the last.
  static void replace(std::string_view old, std::string_view inserted, std::vector<CharacterChange>& changes) {
    const auto old_count = static_cast<int32_t>(count_characters(old));
    int32_t count = 0;
    for (size_t i = 0; i < inserted.size(); ++count) {
      const Character character = decode_utf8(inserted.data() + i);
      changes.push_back({character.code_point, count < old_count ? 0 : 1});
      i += character.bytes;
    }
    if (count < old_count && !changes.empty()) changes.back().change += count - old_count;
  }

  DoubleArray trie_;
  std::string replacements_;
};

}  // namespace

std::unique_ptr<const Normalizer> make_precompiled(const ComponentFields& fields) {
  const auto map = from_base64(fields.text("precompiled_charsmap"));
  if (!map) fields.refuse("precompiled_charsmap", "is not Base64");
  uint32_t trie_bytes = 0;
  if (map->size() >= sizeof trie_bytes) std::memcpy(&trie_bytes, map->data(), sizeof trie_bytes);
  if (map->size() < sizeof trie_bytes || trie_bytes % 4 != 0 || trie_bytes > map->size() - sizeof trie_bytes) {
    fields.refuse("precompiled_charsmap", "is cut short: its trie does not fit into it");
  }
  std::vector<uint32_t> units(trie_bytes / 4);
  if (!units.empty()) std::memcpy(units.data(), map->data() + sizeof trie_bytes, trie_bytes);
  std::string replacements = map->substr(sizeof trie_bytes + trie_bytes);
  if (longest_string(replacements) > kLongestReplacement) {
    fields.refuse("precompiled_charsmap", format("holds a string of more than {} bytes", kLongestReplacement));
  }
  if (!is_utf8(replacements)) fields.refuse("precompiled_charsmap", "holds strings that are not UTF-8");
  return std::make_unique<Precompiled>(std::move(units), std::move(replacements));
}

}  // namespace dflash
