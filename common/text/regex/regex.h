// Regex: one compiled regular expression of Oniguruma (Ruby syntax), with the properties of Unicode 16.
//
//   const Regex digits("\\p{N}{1,3}", "tokenizer.json: pre_tokenizer");
//   if (auto match = digits.search(text, 0)) ...
//
// Threading: immutable; any number of threads may search at once.
// Owns: the compiled expression.
// Limits: a pattern of at most 64 KiB. A search that tries too often, or piles up too much to come back to, is an
//   Error{input_file} and not a hang: both limits grow with the text.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dflash {

class Regex {
 public:
  /// Error{input_file}: "source: ..." when the pattern is no regular expression.
  Regex(std::string_view pattern, std::string source);

  struct Match {
    size_t begin;
    size_t end;
  };
  /// The first match of `text` (UTF-8) that begins at byte `from` or later.
  [[nodiscard]] std::optional<Match> search(std::string_view text, size_t from) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
  std::string source_;
};

/// `text` as a pattern that matches just it.
[[nodiscard]] std::string quote_regex(std::string_view text);

}  // namespace dflash
