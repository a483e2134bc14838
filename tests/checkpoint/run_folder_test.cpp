#include "common/checkpoint/run_folder.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

TEST(RunFolder, IsNewWhenMissingOrEmpty) {
  const TempFolder folder;
  EXPECT_NO_THROW(check_run_folder(folder.path()));
  EXPECT_NO_THROW(check_run_folder(folder.path() / "missing"));
  write_text(folder.path() / "run/run.json", "{}");
  EXPECT_FALSE(is_new_run_folder(folder.path() / "run"));
  expect_error(ErrorKind::config, "--resume", [&] { check_run_folder(folder.path() / "run"); });
  expect_error(ErrorKind::config, "exists", [&] { check_run_folder(folder.path() / "run/run.json"); });
  fs::create_symlink("nowhere", folder.path() / "link");
  EXPECT_FALSE(is_new_run_folder(folder.path() / "link"));
}

TEST(RunFolder, UnfinishedFilesAreRemoved) {
  const TempFolder folder;
  for (const char* name : {"run.json", "run.json.12.tmp", "verdict.json.7.tmp", "logs/a.8.tmp", "x.9.tmp/mine"}) {
    write_text(folder.path() / name, "x");
  }
  EXPECT_EQ(remove_unfinished_files(folder.path()).size(), 2u);
  EXPECT_TRUE(remove_unfinished_files(folder.path()).empty());
  EXPECT_TRUE(remove_unfinished_files(folder.path() / "missing").empty());
  for (const char* name : {"run.json", "logs/a.8.tmp", "x.9.tmp/mine"}) {
    EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  }
}

class MetricsFile {
 public:
  /// What is left of `text` after a cut to `step`.
  std::string cut(const std::string& text, int64_t step) {
    write_text(path_, text);
    cut_metrics(path_, step);
    return read_text(path_);
  }

 private:
  TempFolder folder_;
  fs::path path_ = folder_.path() / "metrics.jsonl";
};

TEST(CutMetrics, KeepsTheLinesUpToTheStepByteForByte) {
  MetricsFile metrics;
  const std::string one = "{\"step\":1,\"loss\":2.50}\n", two = "{ \"loss\":null, \"step\":2}\n",
                    three = "{\"step\":3}\n";
  EXPECT_EQ(metrics.cut(one + two + three, 2), one + two);
  EXPECT_EQ(metrics.cut(one + two, 2), one + two);
  EXPECT_EQ(metrics.cut(one + two, 0), "");
  EXPECT_EQ(metrics.cut("", 2), "");
}

TEST(CutMetrics, DropsTornLines) {
  MetricsFile metrics;
  const std::string one = "{\"step\":1}\n", two = "{\"step\":2}\n";
  EXPECT_EQ(metrics.cut(one + "{\"step\":2}", 5), one);  // whole, but what follows would stand in the same line
  EXPECT_EQ(metrics.cut(one + "{\"step\":2,\"lo", 5), one);
  EXPECT_EQ(metrics.cut(one + "{\"step\":\n" + two, 5), one + two);
  EXPECT_EQ(metrics.cut(one + std::string(8, '\0') + "\n\n[1]\n{}\n{\"step\":\"1\"}\n{\"step\":1.5}\n" + two, 5),
            one + two);
}

TEST(CutMetrics, AMissingFileIsFineAnUnreadableOneIsNot) {
  const TempFolder folder;
  EXPECT_NO_THROW(cut_metrics(folder.path() / "metrics.jsonl", 1));
  fs::create_directory(folder.path() / "metrics.jsonl");
  expect_error(ErrorKind::input_file, "metrics.jsonl", [&] { cut_metrics(folder.path() / "metrics.jsonl", 1); });
}

}  // namespace
}  // namespace dflash
