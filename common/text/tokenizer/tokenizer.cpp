#include "common/text/tokenizer/tokenizer.h"

#include "common/base/file.h"
#include "common/base/format.h"
#include "common/text/regex/search_budget.h"
#include "common/text/tokenizer/encoder.h"
#include "common/text/tokenizer/tokenizer_file.h"
#include "common/text/tokenizer/tokenizer_parts.h"

namespace dflash {

struct TokenizerScratch::State {
  EncoderScratch encoder;
};

TokenizerScratch::TokenizerScratch() : state_(std::make_unique<State>()) {}
TokenizerScratch::~TokenizerScratch() = default;
TokenizerScratch::TokenizerScratch(TokenizerScratch&&) noexcept = default;
TokenizerScratch& TokenizerScratch::operator=(TokenizerScratch&&) noexcept = default;

struct Tokenizer::Parts : TokenizerParts {
  using TokenizerParts::TokenizerParts;
};

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::filesystem::path tokenizer_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / "tokenizer.json" : path;
}

Tokenizer Tokenizer::read(const std::filesystem::path& path) {
  const std::filesystem::path file_path = tokenizer_file(path);
  const MappedFile file(file_path);
  return parse(file.text(), file_path.string());
}

Tokenizer Tokenizer::parse(std::string_view json, const std::string& source) {
  const SearchBudget searches(json.size());  // for normalizing added tokens
  const TokenizerFile file(json, source);
  return Tokenizer(std::make_unique<const Parts>(file));
}

void Tokenizer::encode(std::string_view text, const EncodeOptions& options, TokenizerScratch& scratch,
                       Encoding& out) const {
  encode_text(*parts_, text, options, scratch.state_->encoder, out);
}

std::string Tokenizer::decode(std::span<const uint32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const uint32_t id : ids) {
    const auto token = token_of(id);
    if (token && !(skip_special_tokens && parts_->added.is_special(*token))) tokens.emplace_back(*token);
  }
  const SearchBudget searches(total_bytes(tokens));
  if (parts_->decoder) parts_->decoder->apply(tokens);
  return format("{}", join(tokens, parts_->decoder ? "" : " "));
}

std::optional<uint32_t> Tokenizer::id_of(std::string_view token) const {
  if (const auto id = parts_->added.id_of(token)) return id;
  return parts_->model->id_of(token);
}

std::optional<std::string_view> Tokenizer::token_of(uint32_t id) const {
  return parts_->token_of(id);
}

bool Tokenizer::is_special(uint32_t id) const {
  const auto token = token_of(id);
  return token && parts_->added.is_special(*token);
}

}  // namespace dflash
