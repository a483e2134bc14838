#include "common/text/shown/visible_text.h"

#include <gtest/gtest.h>

#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

TEST(VisibleText, OrdinaryTextStays) {
  const std::string text = "Hello\n\tcaf\u00e9, \u6f22\u5b57, \u0645\u0631\u062d\u0628\u0627, a\u200db \\x1b";
  EXPECT_EQ(visible_text(text), text);
  EXPECT_EQ(visible_text(""), "");
}

TEST(VisibleText, WhatWouldActOnATerminalIsSpelledOut) {
  EXPECT_EQ(visible_text("\x1b[2Jx\r\a"), "\\x1b[2Jx\\r\\x07");
  EXPECT_EQ(visible_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible_text("\u009b31m\u007f"), "\\x9b31m\\x7f");
  EXPECT_EQ(visible_text("a\u202eb\u2066c\ufeff"), "a\\u202eb\\u2066c\\ufeff");
  EXPECT_EQ(visible_text("\U000E0041"), "\\U000e0041");
  EXPECT_EQ(visible_text("a\xff\xe6\xbc"), "a\ufffd\ufffd");
}

TEST(VisibleText, EscapesWhatActsOnATerminal) {
  EXPECT_EQ(visible_text("a\tb\nc\r"), "a\tb\nc\\r");
  EXPECT_EQ(visible_line("a\tb\nc\r"), "a\\tb\\nc\\r");
  EXPECT_EQ(visible_text(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(visible_text("\xE2\x80\xAE\xE2\x81\xA6"), "\\u202e\\u2066");
  EXPECT_EQ(visible_text("\xE2\x80\xA8"), "\\u2028");
  EXPECT_EQ(visible_text("π \xF0\x9F\x99\x82 \xE2\x82"), "π \xF0\x9F\x99\x82 \xEF\xBF\xBD");
}

TEST(VisibleText, NoControlCharacterIsLeft) {
  for (char32_t c = 0; c < 0x3000; ++c) {
    const std::string shown = visible_text(to_utf8(c));
    for (const char byte : shown) {
      EXPECT_TRUE(byte == '\n' || byte == '\t' || (static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f))
          << static_cast<uint32_t>(c);
    }
    if (c >= 0x80 && c < 0xA0) {
      EXPECT_EQ(shown.size(), 4U);
    }
  }
}

}  // namespace
}  // namespace dflash
