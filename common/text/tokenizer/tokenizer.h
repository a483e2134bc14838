// Tokenizer: a tokenizer.json of Hugging Face, as text -> ids with offsets, and ids -> text.
//
//   const Tokenizer tokenizer = Tokenizer::read("model/tokenizer.json");
//   TokenizerScratch scratch;                       // one for each thread
//   Encoding encoding;
//   tokenizer.encode("Hello", {.offsets = OffsetUnit::characters}, scratch, encoding);
//   std::string text = tokenizer.decode(encoding.ids, /*skip_special_tokens=*/false);
//
// The ids, offsets and texts are those of the reference library; truncation and padding that stand in the file are not
// applied.
//
// Threading: immutable; shared by any number of threads, each with a TokenizerScratch of its own.
// Owns: vocabulary, merges, tables.
// Limits: texts below 4 GiB; files as in tokenizer_file.h.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/tokenizer/encoding.h"

namespace dflash {

/// The file that a user means by `path`: itself, or the tokenizer.json in that folder.
[[nodiscard]] std::filesystem::path tokenizer_file(const std::filesystem::path& path);

class TokenizerScratch {
 public:
  TokenizerScratch();
  ~TokenizerScratch();
  TokenizerScratch(TokenizerScratch&&) noexcept;
  TokenizerScratch& operator=(TokenizerScratch&&) noexcept;

 private:
  friend class Tokenizer;
  struct State;
  std::unique_ptr<State> state_;
};

class Tokenizer {
 public:
  /// Of a tokenizer.json, or of a folder that holds one. Error{input_file} naming file, place in it and what was
  /// expected.
  [[nodiscard]] static Tokenizer read(const std::filesystem::path& path);
  [[nodiscard]] static Tokenizer parse(std::string_view json, const std::string& source);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Error{input_file} when `text` is not UTF-8, or the file cannot say what its tokens are (an unknown token that is
  /// not in the vocabulary, a regular expression that takes exponential time).
  void encode(std::string_view text, const EncodeOptions& options, TokenizerScratch& scratch, Encoding& out) const;

  /// Ids that nobody knows are left out, as in the reference library.
  [[nodiscard]] std::string decode(std::span<const uint32_t> ids, bool skip_special_tokens) const;

  [[nodiscard]] std::optional<uint32_t> id_of(std::string_view token) const;
  [[nodiscard]] std::optional<std::string_view> token_of(uint32_t id) const;
  [[nodiscard]] bool is_special(uint32_t id) const;

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts_;
};

}  // namespace dflash
