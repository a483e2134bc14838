// A writer that is killed between any two of its calls to the system: what is left can be gone on with, and the folder
// ends with the same bytes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/data/prepared/prepared_folder.h"
#include "tests/data/prepared/folder_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr int64_t kDocuments = 12;

/// Kills the child at its stop number `stops` (each call to the system stops it twice); false when it ended before.
bool kill_after(const std::filesystem::path& folder, int stops) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    make_folder(folder, kDocuments);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int stop = 0; stop < stops && WIFSTOPPED(status); ++stop) {
    if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) ADD_FAILURE() << "ptrace";
    waitpid(child, &status, 0);
  }
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return false;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return true;
}

TEST(KilledWriter, AtWhateverPointTheNextOneEndsWithTheSameBytes) {
  const TempFolder temp;
  make_folder(temp.path() / "whole", kDocuments);
  const auto expected = files_in(temp.path() / "whole");
  int stops = 0, unfinished = 0;
  for (; kill_after(temp.path() / "p", stops); ++stops) {
    if (is_prepared_folder(temp.path() / "p")) {
      // Killed behind the end: whole, though what it needed on the way may still lie there.
      const PreparedFolder folder = PreparedFolder::open(temp.path() / "p");
      EXPECT_EQ(folder.count(), kDocuments);
      folder.verify();
    } else {
      make_folder(temp.path() / "p", kDocuments);
      EXPECT_EQ(files_in(temp.path() / "p"), expected) << "killed at stop " << stops;
      ++unfinished;
    }
    std::filesystem::remove_all(temp.path() / "p");
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(unfinished, 100);  // points where it was really interrupted
}

}  // namespace
}  // namespace dflash
