#include "common/base/one_line.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(OneLine, HasNoControlCharacters) {
  EXPECT_EQ(one_line("a\x1b[2J\nb\x7f\t\xc3\xa4"), "a?[2J?b??\xc3\xa4");
}

TEST(JsonLine, IsShortPrintableAscii) {
  EXPECT_EQ(json_line("\x1b[2J\n\xc3\xa4\xff", 100), R"("\u001b[2J\n\u00e4\ufffd")");
  EXPECT_EQ(json_line(Json::array({1, 2, 3}), 7), "[1,2,3]");
  EXPECT_EQ(json_line(Json::array({1, 2, 3}), 6), "[1,2,3...");
}

}  // namespace
}  // namespace dflash
