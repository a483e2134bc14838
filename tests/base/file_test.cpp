#include "common/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <set>
#include <thread>
#include <utility>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(MappedFile, ShowsTheWholeFile) {
  const TempFolder folder;
  write_text(folder.path() / "a", std::string("x\0y\n", 4));
  const MappedFile file(folder.path() / "a");
  EXPECT_EQ(file.text(), std::string_view("x\0y\n", 4));
  EXPECT_EQ(file.bytes().size(), 4u);
}

TEST(MappedFile, FollowsLinksAndTakesEmptyFiles) {
  const TempFolder folder;
  write_text(folder.path() / "empty", "");
  fs::create_symlink("empty", folder.path() / "link");
  EXPECT_EQ(MappedFile(folder.path() / "link").text(), "");
}

TEST(MappedFile, DoesNotWaitForTheWriterOfAFifo) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
  expect_error(ErrorKind::input_file, "not a regular file", [&] { MappedFile(folder.path() / "fifo"); });
}

TEST(TemporaryName, IsToldFromOtherNames) {
  EXPECT_TRUE(is_temporary_name(temporary_name("runs/run.json").filename().string()));
  for (const char* name : {"run.json.7.tmp", "a.123456.tmp"}) EXPECT_TRUE(is_temporary_name(name)) << name;
  for (const char* name : {"run.json", "run.json.tmp", "run.json.7.tmp2", "run.json.x7.tmp", "run.json..tmp", ".7.tmp",
                           "7.tmp", ".tmp", "", "run.json.7tmp"}) {
    EXPECT_FALSE(is_temporary_name(name)) << name;
  }
}

TEST(WriteAll, WritesAllOrNamesTheFile) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
  std::string text(1 << 20, 'x');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  std::string arrived;
  std::thread reader([&] {
    std::array<char, 5000> part{};
    for (ssize_t size = 1; size > 0;) {
      size = read(ends[0], part.data(), part.size());
      if (size > 0) arrived.append(part.data(), static_cast<size_t>(size));
    }
  });
  write_all(ends[1], std::as_bytes(std::span(text)), "the pipe");
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(arrived, text);
  expect_error(ErrorKind::checkpoint, "cannot write the pipe: Bad file descriptor",
               [&] { write_all(-1, std::as_bytes(std::span(text)), "the pipe"); });
}

TEST(MappedFile, MovesItsMapping) {
  const TempFolder folder;
  write_text(folder.path() / "a", "first");
  write_text(folder.path() / "b", "second");
  MappedFile a(folder.path() / "a");
  MappedFile moved(std::move(a));
  EXPECT_EQ(moved.text(), "first");
  MappedFile b(folder.path() / "b");
  b = std::move(moved);
  EXPECT_EQ(b.text(), "first");
}

TEST(MappedFile, RefusesWhatIsNoRegularFile) {
  const TempFolder folder;
  expect_error(ErrorKind::input_file, "cannot open", [&] { MappedFile file(folder.path() / "absent"); });
  expect_error(ErrorKind::input_file, "not a regular file", [&] { MappedFile file(folder.path()); });
}

TEST(WriteFileAtomic, ReplacesAndLeavesNothingElse) {
  const TempFolder folder;
  write_file_atomic(folder.path() / "a.json", "old");
  write_file_atomic(folder.path() / "a.json", "new and longer");
  EXPECT_EQ(read_text(folder.path() / "a.json"), "new and longer");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"a.json"});
}

TEST(WriteFileAtomic, ReaderSeesOneWholeFileOrTheOther) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a";
  const std::string old_text(100'000, 'o'), new_text(50'000, 'n');
  write_file_atomic(path, old_text);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) write_file_atomic(path, i % 2 == 0 ? new_text : old_text);
    done = true;
  });
  while (!done) {
    const std::string seen = read_text(path);
    EXPECT_TRUE(seen == old_text || seen == new_text) << seen.size();
  }
  writer.join();
}

TEST(WriteFileAtomic, FailedRenameKeepsTheOldAndRemovesTheTemporary) {
  const TempFolder folder;
  write_text(folder.path() / "taken" / "inside", "kept");
  expect_error(ErrorKind::checkpoint, "cannot rename", [&] { write_file_atomic(folder.path() / "taken", "text"); });
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"taken"});
  EXPECT_EQ(read_text(folder.path() / "taken" / "inside"), "kept");
}

TEST(WriteFileAtomic, MissingFolderIsNamed) {
  const TempFolder folder;
  expect_error(ErrorKind::checkpoint, "cannot create", [&] { write_file_atomic(folder.path() / "no" / "a", "text"); });
}

TEST(ThrowWriteError, FullDiskIsAKindOfItsOwn) {
  expect_error(ErrorKind::no_space, "cannot write x", [] { throw_write_error(ENOSPC, "cannot write x"); });
  expect_error(ErrorKind::no_space, "free some space", [] { throw_write_error(EDQUOT, "cannot write x"); });
  expect_error(ErrorKind::checkpoint, "cannot write x", [] { throw_write_error(EACCES, "cannot write x"); });
}

TEST(SyncFolder, RefusesAMissingFolder) {
  const TempFolder folder;
  EXPECT_NO_THROW(sync_folder(folder.path()));
  expect_error(ErrorKind::checkpoint, "cannot flush the folder", [&] { sync_folder(folder.path() / "no"); });
}

TEST(ProgramFolder, HoldsThisTest) {
  EXPECT_TRUE(fs::exists(program_folder() / "base_test"));
}

}  // namespace
}  // namespace dflash
