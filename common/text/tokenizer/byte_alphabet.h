// The byte alphabet of GPT-2: a printable character for each of the 256 bytes, so that any bytes can be written as
// text. Bytes that are printable in Latin-1 stand for themselves; the others are U+0100 and on, in their order.
//
// Threading: functions only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/text/tokenizer/aligned_text.h"

namespace dflash {

/// The character that stands for `byte`; below U+0144.
[[nodiscard]] char32_t byte_character(unsigned char byte);

/// `bytes` written in the alphabet.
void append_byte_characters(std::string& text, std::string_view bytes);
/// The bytes that `text` stands for; nothing when a character is not in the alphabet.
[[nodiscard]] std::optional<std::string> bytes_of_characters(std::string_view text);

/// The same in place: all characters of one byte sequence have the origin of the character it was.
void spell_as_bytes(AlignedText& text);

/// "<0x0A>" for 10: how vocabularies with byte fallback name a byte.
[[nodiscard]] std::string byte_token_name(unsigned char byte);

}  // namespace dflash
