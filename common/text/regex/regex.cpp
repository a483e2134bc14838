#include "common/text/regex/regex.h"

#include <oniguruma.h>

#include <array>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/regex/unicode_properties.h"

namespace dflash {
namespace {

constexpr size_t kLongestPatternBytes = size_t{1} << 16U;
constexpr size_t kRetriesInMatch = 10'000'000;  // Oniguruma's own limit
constexpr size_t kRetriesPerByte = 64;
constexpr size_t kStackEntries = 1'000'000;  // 40 bytes each
constexpr size_t kStackEntriesPerByte = 4;

const OnigUChar* bytes_of(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

std::string reason(int code, OnigErrorInfo* info) {
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> text{};
  const int size = onig_error_code_to_str(text.data(), code, info);
  return one_line(std::string(reinterpret_cast<const char*>(text.data()), static_cast<size_t>(size)));
}

/// What one thread needs for searching; made once a thread, since making it is dearer than a search.
class SearchState {
 public:
  SearchState() : region_(onig_region_new()), limits_(onig_new_match_param()) {}
  ~SearchState() {
    onig_region_free(region_, 1);
    onig_free_match_param(limits_);
  }
  SearchState(const SearchState&) = delete;
  SearchState& operator=(const SearchState&) = delete;

  int search(regex_t* regex, std::string_view text, size_t from) {
    if (text.size() != limits_for_bytes_) set_limits(text.size());
    const OnigUChar* begin = bytes_of(text);
    const OnigUChar* end = begin + text.size();
    return onig_search_with_param(regex, begin, end, begin + from, end, region_, ONIG_OPTION_NONE, limits_);
  }
  [[nodiscard]] size_t match_end() const { return static_cast<size_t>(region_->end[0]); }

 private:
  void set_limits(size_t text_bytes) {
    onig_initialize_match_param(limits_);
    onig_set_retry_limit_in_match_of_match_param(limits_, kRetriesInMatch);
    onig_set_retry_limit_in_search_of_match_param(limits_, kRetriesInMatch + kRetriesPerByte * text_bytes);
    const size_t entries = std::min<size_t>(kStackEntries + kStackEntriesPerByte * text_bytes, 1U << 30U);
    onig_set_match_stack_limit_size_of_match_param(limits_, static_cast<unsigned>(entries));
    limits_for_bytes_ = text_bytes;
  }

  OnigRegion* region_;
  OnigMatchParam* limits_;
  size_t limits_for_bytes_ = static_cast<size_t>(-1);
};

}  // namespace

struct Regex::Compiled {
  Compiled() = default;
  ~Compiled() { onig_free(regex); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  regex_t* regex = nullptr;
};

Regex::Regex(std::string_view pattern, std::string source) : source_(std::move(source)) {
  if (pattern.size() > kLongestPatternBytes) {
    throw Error(ErrorKind::input_file, format("{}: a regular expression of {} bytes is too long (at most {})", source_,
                                              pattern.size(), kLongestPatternBytes));
  }
  define_unicode_properties();
  const std::string known = with_unicode_properties(pattern);
  auto compiled = std::make_shared<Compiled>();
  OnigErrorInfo info{};
  const int code = onig_new(&compiled->regex, bytes_of(known), bytes_of(known) + known.size(),
                            ONIG_OPTION_CAPTURE_GROUP, ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT, &info);
  if (code != ONIG_NORMAL) {
    throw Error(ErrorKind::input_file, format("{}: '{}' is no regular expression that can be used: {}", source_,
                                              one_line(std::string(pattern.substr(0, 200))), reason(code, &info)));
  }
  compiled_ = std::move(compiled);
}

std::optional<Regex::Match> Regex::search(std::string_view text, size_t from) const {
  thread_local SearchState state;
  const int place = state.search(compiled_->regex, text, from);
  if (place >= 0) return Match{static_cast<size_t>(place), state.match_end()};
  if (place == ONIG_MISMATCH) return std::nullopt;
  throw Error(ErrorKind::input_file,
              format("{}: the regular expression gave up on a text of {} bytes: {}; it takes exponential time there",
                     source_, text.size(), reason(place, nullptr)));
}

std::string quote_regex(std::string_view text) {
  std::string pattern;
  for (const char byte : text) {
    if (std::string_view("\\.+*?()|[]{}^$#&-~ ").find(byte) != std::string_view::npos) pattern += '\\';
    pattern += byte;
  }
  return pattern;
}

}  // namespace dflash
