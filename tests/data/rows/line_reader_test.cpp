#include "common/data/rows/line_reader.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/data/rows/row_files.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Lines = std::vector<ReadLine>;

class LineReaderTest : public testing::Test {
 protected:
  Lines read(const std::string& bytes, size_t largest = kLargestLineBytes) {
    write_text(path_, bytes);
    return lines_of(path_, largest);
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "rows.jsonl";
};

TEST_F(LineReaderTest, LinesEndAtLfOrCrlfAndTheLastOneMayLackIt) {
  EXPECT_EQ(read("a\nb\r\n\n  \nc\rd\xe2\x80\xa8"
                 "e"),
            (Lines{{1, "a"},
                   {2, "b"},
                   {3, ""},
                   {4, "  "},
                   {5,
                    "c\rd\xe2\x80\xa8"
                    "e",
                    false, false}}));
  EXPECT_EQ(read("a\n"), (Lines{{1, "a"}}));
  EXPECT_EQ(read("\n"), (Lines{{1, ""}}));
  EXPECT_TRUE(read("").empty());
}

TEST_F(LineReaderTest, AByteOrderMarkIsSkippedAtTheStartOnly) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a\n\xef\xbb\xbf"
                 "b\n"),
            (Lines{{1, "a"},
                   {2,
                    "\xef\xbb\xbf"
                    "b"}}));
  EXPECT_TRUE(read("\xef\xbb\xbf").empty());
  EXPECT_EQ(read("\xef\xbb"), (Lines{{1, "\xef\xbb", false, false}}));
}

TEST_F(LineReaderTest, Utf16IsRefusedWithAWayOut) {
  for (const char* mark : {"\xff\xfe", "\xfe\xff"}) {
    write_text(path_, mark + std::string("a\0b\0", 4));
    expect_error(ErrorKind::input_file, "rows.jsonl: begins with the byte order mark of UTF-16, expected UTF-8",
                 [&] { (void)lines_of(path_); });
  }
}

TEST_F(LineReaderTest, ZeroBytesAreLeftAsTheyAre) {
  const std::string zeros("a\0b\n\0\0", 6);
  EXPECT_EQ(read(zeros), (Lines{{1, std::string("a\0b", 3)}, {2, std::string("\0\0", 2), false, false}}));
}

TEST_F(LineReaderTest, ALongLineIsMarkedAndTheNextOnesAreRead) {
  const std::string just(100, 'x'), longer(101, 'x'), huge(1'000'000, 'y');
  EXPECT_EQ(read(just + "\r\n" + longer + "\n" + huge + "\nlast\n" + huge, 100),
            (Lines{{1, just}, {2, "", true}, {3, "", true}, {4, "last"}, {5, "", true, false}}));
}

/// What a simpler reader would do with a whole file in memory.
Lines split(const std::string& text) {
  Lines lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(
        {static_cast<int64_t>(lines.size()) + 1, text.substr(begin, end - begin), false, end < text.size()});
    begin = end + 1;
  }
  return lines;
}

TEST_F(LineReaderTest, LinesAcrossTheBordersOfBuffersStayWhole) {
  std::mt19937 random(5);
  for (int round = 0; round < 4; ++round) {
    std::string text;
    while (text.size() < 3'000'000) {
      const size_t length = random() % 10 == 0 ? random() % 700'000 : random() % 3000;
      text += std::string(length, static_cast<char>('a' + random() % 26)) + "\n";
    }
    if (round % 2 == 1) text.pop_back();
    EXPECT_TRUE(read(text) == split(text)) << "round " << round;
  }
}

TEST_F(LineReaderTest, WhatCannotBeReadIsNamed) {
  expect_error(ErrorKind::input_file, "absent.jsonl: cannot be opened",
               [&] { LineReader reader((folder_.path() / "absent.jsonl").string()); });
  expect_error(ErrorKind::input_file, "cannot be read at byte 0: Is a directory",
               [&] { LineReader reader(folder_.path().string()); });
}

}  // namespace
}  // namespace dflash
