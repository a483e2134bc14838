// AddedTokens: tokens that are looked for in the text before the model sees it.
//
// Threading: immutable.
// Limits: tokens of at most 4 KiB, 4 MiB in all, as they are and normalized.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/text/tokenizer/byte_trie.h"
#include "common/text/tokenizer/models/token_model.h"
#include "common/text/tokenizer/normalizers/normalizer.h"

namespace dflash {

struct AddedToken {
  std::string content;
  bool single_word = false;  ///< only where no word character stands beside it
  bool lstrip = false;       ///< takes the white space in front along
  bool rstrip = false;       ///< and that behind
  bool normalized = true;    ///< looked for in the normalized text, normalized itself
  bool special = false;      ///< left out when decoding without special tokens
};

class AddedTokens {
 public:
  /// Those of `settings` (a whole tokenizer.json): a name that the model has keeps its id there, any other gets the
  /// first that is free behind the model's; the ids in the file are not used. Error{input_file}.
  AddedTokens(const Json& settings, const std::string& source, const TokenModel& model, const Normalizer* normalizer);

  [[nodiscard]] std::optional<uint32_t> id_of(std::string_view token) const;
  /// Normalized, for those that are looked for normalized.
  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const;
  [[nodiscard]] bool is_special(std::string_view token) const { return special_.contains(std::string(token)); }

  /// Calls visit(begin, end, id) for the parts of `text` in their order; id is nothing for what is no added token.
  /// `normalized`: looks for those tokens, else for the others.
  template <typename Visit>
  void split(std::string_view text, bool normalized, Visit&& visit) const {
    const Finder& finder = normalized ? in_normalized_ : in_raw_;
    size_t done = 0;
    if (!finder.trie.empty()) {
      for (size_t at = 0; const auto found = find(finder, text, at, done);) {
        if (done < found->begin) visit(done, found->begin, std::optional<uint32_t>());
        visit(found->begin, found->end, std::optional<uint32_t>(found->id));
        done = found->end;
        at = found->next;
      }
    }
    if (done < text.size()) visit(done, text.size(), std::optional<uint32_t>());
  }

 private:
  struct Finder {
    ByteTrie trie;  // of ids
  };
  struct Found {
    size_t begin;
    size_t end;
    size_t next;  // where to go on looking
    uint32_t id;
  };
  void add(const AddedToken& token, const TokenModel& model);
  void fill_finders(const std::vector<AddedToken>& order, const Normalizer* normalizer, const std::string& source);
  [[nodiscard]] std::optional<Found> find(const Finder& finder, std::string_view text, size_t at, size_t done) const;
  [[nodiscard]] bool stands_alone(std::string_view text, size_t begin, size_t end) const;

  std::unordered_map<std::string, uint32_t> ids_;
  std::unordered_map<uint32_t, AddedToken> tokens_;  // content: as token_of() gives it
  std::unordered_set<std::string> special_;
  std::optional<uint32_t> largest_id_;
  Finder in_raw_;
  Finder in_normalized_;
};

}  // namespace dflash
