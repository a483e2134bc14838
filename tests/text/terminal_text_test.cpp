#include "common/text/terminal_text.h"

#include <gtest/gtest.h>

#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

TEST(TerminalText, OrdinaryTextStays) {
  const std::string text = "Hello\n\tcaf\u00e9, \u6f22\u5b57, \u0645\u0631\u062d\u0628\u0627, a\u200db \\x1b";
  EXPECT_EQ(terminal_text(text), text);
  EXPECT_EQ(terminal_text(""), "");
}

TEST(TerminalText, WhatWouldActOnATerminalIsSpelledOut) {
  EXPECT_EQ(terminal_text("\x1b[2Jx\r\a"), "\\x1b[2Jx\\r\\x07");
  EXPECT_EQ(terminal_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(terminal_text("\u009b31m\u007f"), "\\x9b31m\\x7f");
  EXPECT_EQ(terminal_text("a\u202eb\u2066c\ufeff"), "a\\u202eb\\u2066c\\ufeff");
  EXPECT_EQ(terminal_text("\U000E0041"), "\\U000e0041");
  EXPECT_EQ(terminal_text("a\xff\xe6\xbc"), "a\ufffd\ufffd");
}

TEST(TerminalText, NoControlCharacterIsLeft) {
  for (char32_t c = 0; c < 0x3000; ++c) {
    const std::string shown = terminal_text(to_utf8(c));
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
