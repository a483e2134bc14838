#include "common/text/tokenizer/decoders/byte_decoders.h"

#include <charconv>
#include <optional>

#include "common/text/tokenizer/byte_alphabet.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

std::optional<char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return std::nullopt;
  unsigned byte = 0;
  const char* end = token.data() + 5;
  const auto [stopped, error] = std::from_chars(token.data() + 3, end, byte, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace

void ByteLevelDecoder::apply(std::vector<std::string>& tokens) const {
  std::string bytes;
  for (const std::string& token : tokens) bytes += bytes_of_characters(token).value_or(token);
  tokens.assign(1, lossy_utf8(bytes));
}

void ByteFallbackDecoder::apply(std::vector<std::string>& tokens) const {
  std::vector<std::string> out;
  std::string bytes;
  const auto flush = [&out, &bytes] {
    if (is_utf8(bytes)) {
      if (!bytes.empty()) out.push_back(bytes);
    } else {
      out.insert(out.end(), bytes.size(), std::string(kReplacementCharacter));
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = byte_of_token(token)) {
      bytes += *byte;
    } else {
      flush();
      out.push_back(std::move(token));
    }
  }
  flush();
  tokens = std::move(out);
}

}  // namespace dflash
