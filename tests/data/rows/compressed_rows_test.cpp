// Compressed files: every way to write one gives the same lines, and a broken one ends by name with the place.
#include <gtest/gtest.h>

#include <functional>

#include "common/data/documents.h"
#include "tests/data/rows/row_files.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(i * 7919 % 1000003) + "\n";
  return text;
}

struct Kind {
  const char* name;
  const char* ending;
  std::function<std::string(const std::string&)> pack;
};

class CompressedRows : public testing::TestWithParam<Kind> {
 protected:
  std::vector<ReadLine> read(const std::string& bytes) {
    write_text(path_, bytes);
    return lines_of(path_);
  }
  void expect_broken(const std::string& bytes, const std::vector<std::string>& words) {
    const Error error = error_of([&] { (void)read(bytes); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    EXPECT_TRUE(says(error, words));
    EXPECT_TRUE(says(error, {path_.string(), "byte ", "lines were read before"}));
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / (std::string("rows.jsonl") + GetParam().ending);
  std::string text_ = numbered_lines(100'000);
  std::string packed_ = GetParam().pack(text_);
};

TEST_P(CompressedRows, HoldTheSameLinesAsTheirText) {
  const auto lines = read(packed_);
  ASSERT_EQ(lines.size(), 100'000U);
  EXPECT_EQ(lines[99'999], (ReadLine{100'000, "line " + std::to_string(99'999 * 7919 % 1000003)}));
  EXPECT_TRUE(read(GetParam().pack("")).empty());
}

TEST_P(CompressedRows, PiecesOneBehindTheOtherAreOneText) {
  const auto lines = read(GetParam().pack("a\nb") + GetParam().pack("") + GetParam().pack("c\nd"));
  EXPECT_EQ(lines, (std::vector<ReadLine>{{1, "a"}, {2, "bc"}, {3, "d", false, false}}));
}

TEST_P(CompressedRows, AreToldByTheirFirstBytesWhateverTheirName) {
  const auto plain_name = folder_.path() / "rows.jsonl";
  write_text(plain_name, packed_);
  EXPECT_EQ(lines_of(plain_name).size(), 100'000U);
  write_text(path_, "{}\n");
  expect_error(ErrorKind::input_file, std::string("does not begin like ") + GetParam().name + " data",
               [&] { (void)lines_of(path_); });
}

TEST_P(CompressedRows, ACutFileEndsByNameAfterTheLinesBefore) {
  for (size_t bytes = 4; bytes < packed_.size(); bytes += packed_.size() / 37) {
    expect_broken(packed_.substr(0, bytes), {"data are cut: the file ends at byte " + std::to_string(bytes)});
  }
  expect_broken(packed_.substr(0, packed_.size() - 1), {"data are cut"});
  write_text(path_, packed_.substr(0, packed_.size() * 3 / 4));
  LineReader reader(path_.string());
  Line line;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.number, 1000);
}

TEST_P(CompressedRows, AChangedByteIsFound) {
  for (size_t at = packed_.size() / 5; at < packed_.size(); at += packed_.size() / 5) {
    std::string bytes = packed_;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    expect_broken(bytes, {GetParam().name});
  }
}

TEST_P(CompressedRows, RubbishBehindTheEndIsFound) {
  expect_broken(packed_ + "rubbish", {GetParam().name, "data are broken"});
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompressedRows,
                         testing::Values(Kind{"gzip", ".gz", gzipped}, Kind{"zstd", ".zst", zstd_packed}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(CompressedFiles, ZeroBytesMayFollowGzip) {
  const TempFolder folder;
  write_text(folder.path() / "a.gz", gzipped("a\n") + std::string(600, '\0'));
  EXPECT_EQ(lines_of(folder.path() / "a.gz").size(), 1U);
}

TEST(CompressedFiles, DocumentsOfTokenIdsAreReadFromThemToo) {
  const TempFolder folder;
  const std::string row = R"({"input_ids":[7,8,9],"loss_mask":[0,1,1]})";
  write_text(folder.path() / "a.jsonl.gz", gzipped(row + "\n" + row));
  write_text(folder.path() / "b.jsonl.zst", zstd_packed(row));
  DataLedger ledger;
  const Documents documents =
      load_documents({folder.path() / "a.jsonl.gz", folder.path() / "b.jsonl.zst"}, 10, 8, ledger);
  EXPECT_EQ(documents.count(), 3);
  EXPECT_EQ(documents.input_ids(2)[1], 8);
}

TEST(CompressedFiles, ParquetIsRefusedWithAWayOut) {
  const TempFolder folder;
  write_text(folder.path() / "a.parquet", "PAR1....PAR1");
  expect_error(ErrorKind::input_file, "a.parquet: a Parquet file",
               [&] { (void)lines_of(folder.path() / "a.parquet"); });
  write_text(folder.path() / "b.parquet", "{}\n");
  expect_error(ErrorKind::input_file, "named .parquet", [&] { (void)lines_of(folder.path() / "b.parquet"); });
}

}  // namespace
}  // namespace dflash
