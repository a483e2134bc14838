#include "common/text/tokenizer/byte_alphabet.h"

#include <array>

#include "common/base/format.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

constexpr char32_t kCharacters = 0x144;

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<char32_t, 256> characters{};
  std::array<int, kCharacters> bytes{};
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.bytes.fill(-1);
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t character = stands_for_itself(byte) ? static_cast<char32_t>(byte) : next++;
    alphabet.characters[byte] = character;
    alphabet.bytes[character] = static_cast<int>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

/// The byte that a character stands for.
std::optional<unsigned char> byte_of_character(char32_t character) {
  if (character >= kCharacters || kAlphabet.bytes[character] < 0) return std::nullopt;
  return static_cast<unsigned char>(kAlphabet.bytes[character]);
}

}  // namespace

char32_t byte_character(unsigned char byte) {
  return kAlphabet.characters[byte];
}

void append_byte_characters(std::string& text, std::string_view bytes) {
  for (const char byte : bytes) append_utf8(text, byte_character(static_cast<unsigned char>(byte)));
}

std::optional<std::string> bytes_of_characters(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    const Character character = decode_utf8(text.data() + i);
    const auto byte = byte_of_character(character.code_point);
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
    i += character.bytes;
  }
  return bytes;
}

void spell_as_bytes(AlignedText& text) {
  std::vector<CharacterChange> changes;
  for (const char byte : text.text()) {
    changes.push_back({byte_character(static_cast<unsigned char>(byte)), begins_character(byte) ? 0 : 1});
  }
  text.transform(changes);
}

std::string byte_token_name(unsigned char byte) {
  return format("<0x{:02X}>", byte);
}

}  // namespace dflash
