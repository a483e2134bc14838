#include <gtest/gtest.h>

#include <algorithm>

#include "common/data/documents.h"
#include "tests/data/document_makers.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

constexpr const char* kGood = R"({"input_ids":[1,2,3],"loss_mask":[0,1,1]})";

std::string repeated(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

/// Loads one file of this text with a vocabulary of 100 and packs of 8.
Documents load(const std::string& text, DataLedger& ledger) {
  const TempFolder folder;
  write_text(folder.path() / "a.jsonl", text);
  return load_documents({folder.path() / "a.jsonl"}, 100, 8, ledger);
}

TEST(LoadDocuments, ReadsRowsAndIgnoresOtherKeys) {
  DataLedger ledger;
  const Documents documents = load(
      "{\"id\":\"x\",\"loss_mask\":[true,true,false],\"n\":{\"input_ids\":0},\"input_ids\":[ 5, 0,99 ]}\n", ledger);
  EXPECT_EQ(documents.count(), 1);
  EXPECT_TRUE(std::ranges::equal(documents.input_ids(0), std::vector<int32_t>{5, 0, 99}));
  EXPECT_EQ(loss_mask_of(documents, 0), (std::vector<uint8_t>{1, 1, 0}));
  EXPECT_EQ(ledger.rows, 1);
  EXPECT_EQ(ledger.kept, 1);
  EXPECT_EQ(ledger.tokens, 3);
  EXPECT_EQ(ledger.supervised_tokens, 2);
  EXPECT_EQ(ledger.cut + ledger.dropped + ledger.bad, 0);
}

TEST(LoadDocuments, TakesEveryLineEndBlankLinesAndAByteOrderMark) {
  DataLedger ledger;
  const std::string good = kGood;
  EXPECT_EQ(load("\xef\xbb\xbf" + good + "\r\n\r\n  \t\n\n" + good + "\n" + good, ledger).count(), 3);
  EXPECT_EQ(ledger.rows, 3);
}

TEST(LoadDocuments, LongRowsAreCutAndCounted) {
  DataLedger ledger;
  const Documents documents = load(R"({"input_ids":[1,2,3,4,5,6,7,8],"loss_mask":[1,1,1,1,1,1,1,1]})"
                                   "\n"
                                   R"({"input_ids":[1,2,3,4,5,6,7,8,9],"loss_mask":[0,0,0,0,0,0,1,1,1]})",
                                   ledger);
  EXPECT_EQ(documents.length(0), 8);
  EXPECT_EQ(documents.length(1), 8);
  EXPECT_EQ(ledger.cut, 1);
  EXPECT_EQ(ledger.tokens, 16);
  EXPECT_EQ(ledger.supervised_tokens, 10);
}

TEST(LoadDocuments, RowsWithoutAnAnchorAreDroppedAndCounted) {
  DataLedger ledger;
  const Documents documents =
      load(repeated(kGood, 1) + R"({"input_ids":[1,2,3],"loss_mask":[0,0,0]})"
                                "\n"
                                R"({"input_ids":[1,2,3],"loss_mask":[1,0,1]})"
                                "\n"
                                R"({"input_ids":[],"loss_mask":[]})"
                                "\n"
                                R"({"input_ids":[1,2,3,4,5,6,7,8,9],"loss_mask":[0,0,0,0,0,0,0,1,1]})",
           ledger);
  EXPECT_EQ(documents.count(), 1);
  EXPECT_EQ(ledger.rows, 5);
  EXPECT_EQ(ledger.dropped, 4);  // the last one: its anchor was cut off
  EXPECT_EQ(ledger.cut, 0);
  EXPECT_EQ(ledger.bad, 0);
}

TEST(LoadDocuments, EveryKindOfBadRowIsNamed) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"{", "not JSON"},
      {"{} {}", "not JSON"},
      {"hello", "not JSON"},
      {"{\"input_ids\":[1],\"loss_mask\":[1],\"t\":\"\xff\"}", "not JSON"},
      {std::string(100'000, '['), "not JSON"},
      {"[1,2]", "not an object"},
      {"7", "not an object"},
      {R"({"loss_mask":[1]})", "'input_ids' is missing"},
      {R"({"input_ids":[1]})", "'loss_mask' is missing"},
      {R"({"input_ids":"1","loss_mask":[1]})", "'input_ids' is no list"},
      {R"({"input_ids":[1],"loss_mask":null})", "'loss_mask' is no list"},
      {R"({"input_ids":[1,2.5],"loss_mask":[1,1]})", "input_ids[1] is no integer"},
      {R"({"input_ids":[1,"2"],"loss_mask":[1,1]})", "input_ids[1] is no integer"},
      {R"({"input_ids":[1,[2]],"loss_mask":[1,1]})", "input_ids[1] is no integer"},
      {R"({"input_ids":[1,100],"loss_mask":[1,1]})", "input_ids[1] is outside the vocabulary of 100"},
      {R"({"input_ids":[-1,1],"loss_mask":[1,1]})", "input_ids[0] is outside the vocabulary"},
      {R"({"input_ids":[18446744073709551615],"loss_mask":[1]})", "input_ids[0] is outside the vocabulary"},
      {R"({"input_ids":[1,2],"loss_mask":[1,2]})", "loss_mask[1] is neither 0 nor 1"},
      {R"({"input_ids":[1,2],"loss_mask":[-1,1]})", "loss_mask[0] is neither 0 nor 1"},
      {R"({"input_ids":[1,2],"loss_mask":[1,0.5]})", "loss_mask[1] is neither 0 nor 1"},
      {R"({"input_ids":[1,2],"loss_mask":[1,null]})", "loss_mask[1] is neither 0 nor 1"},
      {R"({"input_ids":[1,2],"loss_mask":[1]})", "2 input_ids but 1 loss_mask"}};
  const TempFolder folder;
  const auto path = folder.path() / "a.jsonl";
  for (const auto& [row, why] : rows) {
    write_text(path, repeated(kGood, 60) + row + "\n" + repeated(kGood, 60));
    DataLedger ledger;
    EXPECT_EQ(load_documents({path}, 100, 8, ledger).count(), 120);
    ASSERT_EQ(ledger.bad, 1) << row;
    EXPECT_EQ(ledger.bad_examples[0].find(path.string() + ":61: " + why), 0u) << ledger.bad_examples[0];
  }
}

TEST(LoadDocuments, LineNumbersCountBlankLines) {
  DataLedger ledger;
  (void)load("\n\r\n" + repeated(kGood, 100) + "\nbad\n", ledger);
  ASSERT_EQ(ledger.bad, 1);
  EXPECT_NE(ledger.bad_examples[0].find("a.jsonl:104: "), std::string::npos) << ledger.bad_examples[0];
}

TEST(LoadDocuments, TheSameKeyTwiceDoesNoHarm) {
  DataLedger ledger;
  (void)load(repeated(kGood, 1) + R"({"input_ids":[1,2],"input_ids":[3,4],"loss_mask":[1,1]})", ledger);
  EXPECT_EQ(ledger.kept, 2);
}

TEST(LoadDocuments, OneBadRowInAHundredPassesTwoStop) {
  DataLedger one, two;
  EXPECT_EQ(load(repeated(kGood, 99) + "bad\n", one).count(), 99);
  EXPECT_EQ(one.bad, 1);
  expect_error(ErrorKind::input_file, "2 of 100 rows are bad",
               [&] { (void)load(repeated(kGood, 98) + "bad\nbad\n", two); });
  DataLedger few;
  expect_error(ErrorKind::input_file, "1 of 99 rows are bad", [&] { (void)load(repeated(kGood, 98) + "bad\n", few); });
}

TEST(LoadDocuments, TheFirstTenBadRowsAreKept) {
  DataLedger ledger;
  (void)load(repeated("bad", 15) + repeated(kGood, 1485), ledger);
  EXPECT_EQ(ledger.bad, 15);
  EXPECT_EQ(ledger.bad_examples.size(), 10u);
}

TEST(LoadDocuments, FilesFollowEachOther) {
  const TempFolder folder;
  const auto first = folder.path() / "b.jsonl", empty = folder.path() / "empty.jsonl",
             second = folder.path() / "a.jsonl";
  write_text(first, kGood);
  write_text(empty, "");
  write_text(second, R"({"input_ids":[7,8],"loss_mask":[1,1]})");
  DataLedger ledger;
  const Documents documents = load_documents({first, empty, second}, 100, 8, ledger);
  EXPECT_EQ(documents.count(), 2);
  EXPECT_EQ(documents.input_ids(0)[0], 1);
  EXPECT_EQ(documents.input_ids(1)[0], 7);
  EXPECT_EQ(ledger.rows, 2);
}

TEST(LoadDocuments, NothingToTrainOnIsAnError) {
  DataLedger ledger;
  expect_error(ErrorKind::input_file, "no row can be trained on", [&] { (void)load("", ledger); });
  expect_error(ErrorKind::input_file, "1 without two neighbouring",
               [&] { (void)load(R"({"input_ids":[1],"loss_mask":[1]})", ledger); });
  expect_error(ErrorKind::input_file, "absent.jsonl", [&] { (void)load_documents({"absent.jsonl"}, 100, 8, ledger); });
}

}  // namespace
}  // namespace dflash
