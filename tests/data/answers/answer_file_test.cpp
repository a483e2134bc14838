// Answers in order, whatever the order in which they are done, and files that are gone on with.

#include "common/data/answers/answer_file.h"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "common/base/file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

class AnswerFileTest : public ::testing::Test {
 protected:
  static std::string line(int64_t row) { return Json{{"row", row}, {"messages", Json::array()}}.dump(); }
  [[nodiscard]] std::string text() const { return std::string(MappedFile(path_).text()); }
  [[nodiscard]] std::string lines(std::initializer_list<int64_t> rows) const {
    std::string text;
    for (const int64_t row : rows) text += line(row) + "\n";
    return text;
  }
  void append(const std::string& tail) const { std::ofstream(path_, std::ios::app) << tail; }

  TempFolder folder_;
  fs::path path_ = folder_.path() / "answers.jsonl";
  Json settings_{{"seed", 7}, {"temperature", 0.5}};
};

TEST_F(AnswerFileTest, LinesStandInTheOrderOfTheirRows) {
  AnswerFile file(path_, settings_);
  EXPECT_EQ(file.next_row(), 0);
  file.put(2, line(2));
  file.put(1, "");  // left out
  EXPECT_EQ(text(), "");
  file.put(0, line(0));
  EXPECT_EQ(text(), lines({0, 2}));
  EXPECT_EQ(file.next_row(), 3);
  file.put(4, line(4));
  file.flush();
  EXPECT_EQ(text(), lines({0, 2})) << "row 3 is not done";
  for (const int64_t row : {1, 4}) {
    EXPECT_EQ(error_of([&] { file.put(row, "x"); }).kind(), ErrorKind::internal);
  }
}

TEST_F(AnswerFileTest, GoesOnBehindTheLastWholeLine) {
  const auto begin = [this] {
    fs::remove(path_);
    AnswerFile file(path_, settings_);
    for (const int64_t row : {0, 1}) file.put(row, row == 0 ? line(0) : "");
    file.put(2, line(2));
  };
  const std::string half = line(3) + "\n";
  for (size_t bytes = 0; bytes < half.size(); ++bytes) {  // killed at any byte
    begin();
    append(half.substr(0, bytes));
    AnswerFile file(path_, settings_);
    ASSERT_EQ(file.next_row(), 3) << bytes;
    ASSERT_EQ(file.lines_before(), 2);
    file.put(3, line(3));
    ASSERT_EQ(text(), lines({0, 2, 3}));
  }
}

TEST_F(AnswerFileTest, AFirstLineThatWasHalfWrittenIsWrittenAgain) {
  {
    const AnswerFile file(path_, settings_);
  }
  append("{\"row\": 0, \"mess");
  AnswerFile file(path_, settings_);
  EXPECT_EQ(file.next_row(), 0);
  file.put(0, line(0));
  EXPECT_EQ(text(), lines({0}));
}

TEST_F(AnswerFileTest, OtherSettingsAreRefusedWithBothValues) {
  {
    AnswerFile file(path_, settings_);
    file.put(0, line(0));
  }
  Json other = settings_;
  other["temperature"] = 0.7;
  const Error error = error_of([&] { const AnswerFile file(path_, other); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {"answers.jsonl", "another temperature", "0.5", "now 0.7"}));
  other = settings_;
  other["prompts"] = "abc";
  EXPECT_TRUE(says(error_of([&] { const AnswerFile file(path_, other); }), {"another prompts: null, now \"abc\""}));
  EXPECT_EQ(text(), lines({0})) << "nothing is lost";
}

TEST_F(AnswerFileTest, AFileThatIsNoneOfOursIsNotTouched) {
  write_text(path_, "{\"row\": 1}\n");
  EXPECT_TRUE(says(error_of([&] { const AnswerFile file(path_, settings_); }),
                   {"answers.jsonl is there already", "answers.jsonl.settings.json", "name another output"}));
  write_text(path_.string() + ".settings.json", settings_.dump());
  for (const std::string last : {"hello", "{\"line\": 1}", "{\"row\": -1}", "[1]", ""}) {
    write_text(path_, "{\"row\": 1}\n" + last + "\n");
    const Error error = error_of([&] { const AnswerFile file(path_, settings_); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file) << last;
    EXPECT_EQ(text(), "{\"row\": 1}\n" + last + "\n");
  }
}

TEST_F(AnswerFileTest, OneProcessWritesAtATime) {
  const AnswerFile file(path_, settings_);
  EXPECT_TRUE(says(error_of([&] { const AnswerFile second(path_, settings_); }), {"another process writes"}));
}

/// Another process ends its first row at whatever call to the system this one has come to: the row is never done twice.
TEST_F(AnswerFileTest, AProcessThatEndsMeanwhileIsGoneOnWith) {
  int gone_on_with = 0, refused = 0;
  bool ended = false;
  for (int stops = 1; !ended; ++stops) {
    fs::remove(path_);
    fs::remove(path_.string() + ".settings.json");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      raise(SIGSTOP);
      AnswerFile file(path_, settings_);
      file.put(file.next_row(), line(file.next_row()));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    for (int stop = 0; stop < stops && WIFSTOPPED(status); ++stop) {  // each call to the system stops it twice
      ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
      waitpid(child, &status, 0);
    }
    ended = !WIFSTOPPED(status);
    if (ended) break;
    try {
      AnswerFile other(path_, settings_);
      if (other.next_row() == 0) other.put(0, line(0));
    } catch (const Error&) {
      ++refused;  // the child holds the file
    }
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << stops;
    const std::string written = text();
    gone_on_with += written == lines({0, 1}) ? 1 : 0;
    ASSERT_TRUE(written == lines({0, 1}) || written == lines({0})) << "at stop " << stops << ":\n" << written;
  }
  EXPECT_EQ(gone_on_with, 3);  // before the file is opened, behind that, and before it is locked
  EXPECT_GT(refused, 3);
}

TEST_F(AnswerFileTest, AFullDiskIsSaidInWords) {
  fs::create_symlink("/dev/full", path_);
  AnswerFile file(path_, settings_);
  const Error error = error_of([&] { file.put(0, line(0)); });
  EXPECT_EQ(error.kind(), ErrorKind::no_space);
  EXPECT_TRUE(says(error, {"answers.jsonl", "free some space"}));
}

TEST_F(AnswerFileTest, APlaceThatCannotBeWrittenIsNamed) {
  EXPECT_TRUE(says(error_of([&] { const AnswerFile file(folder_.path() / "none/a.jsonl", settings_); }),
                   {"none/a.jsonl", "cannot open"}));
  EXPECT_TRUE(says(error_of([&] { const AnswerFile file(folder_.path(), settings_); }), {"cannot open"}));
}

}  // namespace
}  // namespace dflash
