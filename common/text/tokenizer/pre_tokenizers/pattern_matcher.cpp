#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"

#include <optional>

#include "common/text/regex/search_budget.h"
#include "common/text/tokenizer/pre_tokenizers/known_patterns.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

/// All matches that `search(from)` finds one by one.
template <typename Search>
void collect_matches(std::string_view text, const Search& search, std::vector<Regex::Match>& matches) {
  std::optional<size_t> last_end;
  for (size_t from = 0; from <= text.size();) {
    const std::optional<Regex::Match> match = search(from);
    if (!match) return;
    if (match->begin == match->end && last_end == match->end) {
      from = match->end + (match->end < text.size() ? utf8_bytes(static_cast<unsigned char>(text[match->end])) : 1);
      continue;
    }
    matches.push_back(*match);
    from = match->end;
    last_end = match->end;
  }
}

class RegexMatcher : public PatternMatcher {
 public:
  RegexMatcher(std::string_view pattern, const std::string& where) : where_(where), regex_(pattern, where) {}
  void find_all(std::string_view text, std::vector<Regex::Match>& matches) const override {
    const SearchBudget budget(text.size());  // of its own, where nobody holds a larger one
    const auto search = [&](size_t from) {
      SearchBudget::count_search(where_);
      return regex_.search(text, from);
    };
    collect_matches(text, search, matches);
  }

 private:
  std::string where_;
  Regex regex_;
};

class LiteralMatcher : public PatternMatcher {
 public:
  explicit LiteralMatcher(std::string_view literal) : literal_(literal) {}
  void find_all(std::string_view text, std::vector<Regex::Match>& matches) const override {
    const auto search = [&](size_t from) -> std::optional<Regex::Match> {
      const size_t begin = text.find(literal_, from);
      if (begin == std::string_view::npos) return std::nullopt;
      return Regex::Match{begin, begin + literal_.size()};
    };
    collect_matches(text, search, matches);
  }

 private:
  std::string literal_;
};

}  // namespace

std::unique_ptr<const PatternMatcher> make_regex_matcher(std::string_view pattern, const std::string& where) {
  return std::make_unique<RegexMatcher>(pattern, where);
}

std::unique_ptr<const PatternMatcher> make_fastest_matcher(std::string_view pattern, const std::string& where) {
  if (auto matcher = known_pattern_matcher(pattern)) return matcher;
  return make_regex_matcher(pattern, where);
}

std::unique_ptr<const PatternMatcher> read_pattern(const ComponentFields& fields, const std::string& key) {
  const ComponentFields pattern = fields.object(key);
  if (pattern.has("String")) return std::make_unique<LiteralMatcher>(pattern.text("String"));
  if (pattern.has("Regex")) return make_fastest_matcher(pattern.text("Regex"), pattern.where());
  fields.refuse(key, R"(must be {"Regex": ...} or {"String": ...})");
}

}  // namespace dflash
