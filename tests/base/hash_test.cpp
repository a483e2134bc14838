#include "common/base/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace dflash {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(Hash, EmptyInputIsThePublishedValue) {
  EXPECT_EQ(hash_text(""), 0x2d06800538d394c2ull);  // XXH3_64bits of nothing, seed 0 (xxHash's own test vectors)
  EXPECT_EQ(Hasher().value(), 0x2d06800538d394c2ull);
}

TEST(Hash, StreamingEqualsOneCallHoweverItIsCut) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>(i * 37);
  for (const size_t piece : {1, 7, 64, 255, 256, 1024, 3000}) {
    Hasher hasher;
    for (size_t at = 0; at < text.size(); at += piece) hasher.add(bytes_of(text.substr(at, piece)));
    EXPECT_EQ(hasher.value(), hash_text(text)) << piece;
  }
  EXPECT_EQ(hash_bytes(bytes_of(text)), hash_text(text));
}

TEST(Hash, OneBitMakesAnother) {
  EXPECT_NE(hash_text("layout 1"), hash_text("layout 2"));
  EXPECT_NE(hash_text(std::string("a\0", 2)), hash_text("a"));
}

TEST(Hash, HexHasSixteenDigits) {
  EXPECT_EQ(hash_hex(0xabc), "0000000000000abc");
  EXPECT_EQ(hash_hex(~uint64_t{0}), "ffffffffffffffff");
}

}  // namespace
}  // namespace dflash
