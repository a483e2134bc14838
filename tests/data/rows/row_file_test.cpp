#include "common/data/rows/row_file.h"

#include <gtest/gtest.h>

#include "tests/data/rows/row_files.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr const char* kChat = R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
constexpr const char* kPair = R"({"prompt":"a","response":"b"})";

std::string times(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

class RowFileTest : public testing::Test {
 protected:
  RowFile open(const std::string& text, std::optional<RowShape> shape = std::nullopt) {
    write_text(path_, text);
    return RowFile(path_.string(), shape);
  }
  RowShape shape_of(const std::string& text) { return open(text).shape(); }

  TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "rows.jsonl";
};

TEST_F(RowFileTest, FieldsTellTheShape) {
  EXPECT_EQ(shape_of(kChat), RowShape::messages);
  EXPECT_EQ(shape_of(kPair), RowShape::prompt_response);
  EXPECT_EQ(shape_of(R"({"conversations":[]})"), RowShape::conversations);
  EXPECT_EQ(shape_of(R"({"prompt":[],"completion":[]})"), RowShape::prompt_completion);
  EXPECT_EQ(shape_of(R"({"instruction":"","input":"","output":""})"), RowShape::instruction);
  EXPECT_EQ(shape_of(R"({"text":""})"), RowShape::text);
  EXPECT_EQ(shape_of(R"({"input_ids":[1],"loss_mask":[0]})"), RowShape::token_ids);
}

TEST_F(RowFileTest, OfSeveralShapesTheOneThatSaysMoreAndIsNotNull) {
  EXPECT_EQ(shape_of(R"({"text":"a","prompt":"b","response":"c","messages":[]})"), RowShape::messages);
  EXPECT_EQ(shape_of(R"({"messages":[],"input_ids":[]})"), RowShape::token_ids);
  EXPECT_EQ(shape_of(R"({"messages":null,"text":"a"})"), RowShape::text);
  EXPECT_EQ(shape_of(R"({"messages":null,"prompt":"only"})"), RowShape::messages);
}

TEST_F(RowFileTest, MostOfTheFirstRowsDecideAndItIsSaidAloud) {
  const RowFile file = open("broken\n[1]\n" + times(kPair, 3) + times(kChat, 4) + times(kPair, 90));
  EXPECT_EQ(file.shape(), RowShape::prompt_response);
  EXPECT_EQ(file.description(), path_.string() +
                                    ": rows are read as prompt_response (26 of the first 32 have that "
                                    "shape); 4 look like messages");
}

TEST_F(RowFileTest, TheUserMayNameTheShape) {
  RowFile file = open(kChat, RowShape::text);
  EXPECT_EQ(file.shape(), RowShape::text);
  EXPECT_EQ(file.description(), path_.string() + ": rows are read as text, as asked for");
  EXPECT_EQ(parse_row_shape("token_ids"), RowShape::token_ids);
  expect_error(ErrorKind::config, "'chat' is no shape of rows; there are messages, conversations, prompt_response",
               [] { (void)parse_row_shape("chat"); });
}

TEST_F(RowFileTest, EveryRowIsHandedOutOnceWithItsNumber) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += (i % 10 == 3 ? "  \n" : "") + std::string("{\"text\":\"") + std::to_string(i) + "\"}\n";
  RowFile file = open(text);
  int64_t row = 0;
  for (Line line; file.next(line); ++row) {
    EXPECT_EQ(line.text, "{\"text\":\"" + std::to_string(row) + "\"}");
    EXPECT_EQ(line.number, 1 + row + (row + 7) / 10);
  }
  EXPECT_EQ(row, 100);
}

TEST_F(RowFileTest, AFileOfAnUnknownShapeIsRefusedByNameAShortOneIsCounted) {
  const std::string unknown = R"({"question":"a","answer":"b"})";
  expect_error(ErrorKind::input_file, R"(none of the first 32 rows has a known shape)",
               [&] { (void)open(times(unknown, 32)); });
  expect_error(ErrorKind::input_file, R"(rows.jsonl: none of)", [&] { (void)open(times(unknown, 32)); });
  expect_error(ErrorKind::input_file, R"(the fields ["question","answer"])", [&] { (void)open(times(unknown, 32)); });
  EXPECT_EQ(open(times(unknown, 31)).description(), path_.string() + ": no row of a known shape among its 31 rows");
  EXPECT_EQ(verdicts_of(path_)[30].second.dropped, DropReason::no_conversation);
}

TEST_F(RowFileTest, OneJsonListIsRefusedWithAWayOut) {
  for (const std::string text : {"[\n  {\"text\": \"a\"}\n]\n", "[{\"text\": \"a\"},\n{\"text\": \"b\"}]\n"}) {
    expect_error(ErrorKind::input_file, "one JSON list, expected JSON lines", [&] { (void)open(text); });
  }
  EXPECT_EQ(shape_of(std::string("[1, 2]\n") + kPair), RowShape::prompt_response);
}

TEST_F(RowFileTest, AnEmptyFileHasNoRows) {
  RowFile file = open("\n\n");
  Line line;
  EXPECT_FALSE(file.next(line));
}

class ExpandInputs : public testing::Test {
 protected:
  ExpandInputs() {
    for (const char* name : {"b.jsonl", "a.jsonl", "c.jsonl.gz", "d[1].jsonl", "sub/e.jsonl"})
      write_text(path(name), "");
  }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }

  TempFolder folder_;
};

TEST_F(ExpandInputs, PatternsAreSortedWordsKeepTheirOrder) {
  EXPECT_EQ(expand_inputs({path("c*"), path("*.jsonl")}),
            (std::vector<std::string>{path("c.jsonl.gz"), path("a.jsonl"), path("b.jsonl"), path("d[1].jsonl")}));
  EXPECT_EQ(expand_inputs({path("{b,a}.jsonl")}), (std::vector<std::string>{path("a.jsonl"), path("b.jsonl")}));
  EXPECT_EQ(expand_inputs({"-", path("d[1].jsonl")}), (std::vector<std::string>{"-", path("d[1].jsonl")}));
  EXPECT_EQ(expand_inputs({path("*")}).size(), 4U) << "folders are no files of rows";
}

TEST_F(ExpandInputs, WhatNamesNothingIsRefused) {
  expect_error(ErrorKind::input_file, "x.jsonl: there is no such file",
               [&] { (void)expand_inputs({path("x.jsonl")}); });
  expect_error(ErrorKind::input_file, "*.zst: there is no such file", [&] { (void)expand_inputs({path("*.zst")}); });
  expect_error(ErrorKind::input_file, "sub: a folder; name its files", [&] { (void)expand_inputs({path("sub")}); });
  expect_error(ErrorKind::input_file, "more than once", [] { (void)expand_inputs({"-", "-"}); });
}

}  // namespace
}  // namespace dflash
